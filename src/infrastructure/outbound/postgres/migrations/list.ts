import { InitialSchema1763600000000 } from './1763600000000-initial-schema.js';
import { SealedAudit1763700000000 } from './1763700000000-sealed-audit.js';
import { HashLookup1763800000000 } from './1763800000000-hash-lookup.js';
import { PurgedAccounts1763900000000 } from './1763900000000-purged-accounts.js';
import { ForgottenGuesses1763930000000 } from './1763930000000-forgotten-guesses.js';
import { DecoyKey1763940000000 } from './1763940000000-decoy-key.js';
import { PlatformSignIns1764014000000 } from './1764014000000-platform-sign-ins.js';
import { OwnerChanges1764140000000 } from './1764140000000-owner-changes.js';
import { EventDetails1764150000000 } from './1764150000000-event-details.js';
import { KeyEvents1764200000000 } from './1764200000000-key-events.js';
import { KeyRotation1764300000000 } from './1764300000000-key-rotation.js';
import { Outbox1764310000000 } from './1764310000000-outbox.js';
import { KeyUsage1764320000000 } from './1764320000000-key-usage.js';
import { ToldNotices1764325000000 } from './1764325000000-told-notices.js';
import { LeakReports1764330000000 } from './1764330000000-leak-reports.js';
import { KeyNotices1764400000000 } from './1764400000000-key-notices.js';

/** In the order in which they are applied. */
export const MIGRATIONS = [
  InitialSchema1763600000000,
  SealedAudit1763700000000,
  HashLookup1763800000000,
  PurgedAccounts1763900000000,
  ForgottenGuesses1763930000000,
  DecoyKey1763940000000,
  PlatformSignIns1764014000000,
  OwnerChanges1764140000000,
  EventDetails1764150000000,
  KeyEvents1764200000000,
  KeyRotation1764300000000,
  Outbox1764310000000,
  KeyUsage1764320000000,
  ToldNotices1764325000000,
  LeakReports1764330000000,
  KeyNotices1764400000000,
];
