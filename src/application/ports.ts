import type { Accounts } from './account-ports.js';
import type { Audit, AuditTrail } from './audit-ports.js';
import type { ApiKeys, DueKeys, IdleKeys, RecordingGate } from './key-ports.js';
import type { LeakReports } from './leak-ports.js';
import type { NoticeReceiver, Outbox } from './notice-ports.js';
import type {
  PasswordGuesses,
  Passwords,
  PlatformLogin,
  PlatformTokens,
  Sessions,
  SpentSignIns,
} from './sign-in-ports.js';
import type { DatabaseClock, KeyReader, KeyUsage, RateLimiter, Refusals, ValidationMeter } from './validation-ports.js';
import type { ChangeWaits } from './change-waits.js';

/*
 * What the use cases need from outside stands in the files named *-ports.ts. Unless stated otherwise, a method throws
 * LatchkeyError `unavailable` when its store does not answer, and `now` is the clock of PostgreSQL, the same for all
 * instances.
 */

/** The implementation of each port: an adapter, or a fake in tests. */
export interface Ports {
  readonly keyReader: KeyReader;
  /** Apart, so that made-up strings do not delay the reads of our own keys. Undefined without import prefixes. */
  readonly importReader: KeyReader | undefined;
  readonly databaseClock: DatabaseClock;
  readonly audit: Audit;
  readonly auditTrail: AuditTrail;
  readonly outbox: Outbox;
  readonly webhookReceiver: NoticeReceiver | undefined;
  readonly mailReceiver: NoticeReceiver | undefined;
  readonly dueKeys: DueKeys;
  readonly idleKeys: IdleKeys;
  readonly keys: ApiKeys;
  readonly accounts: Accounts;
  readonly changeWaits: ChangeWaits;
  readonly recordingGate: RecordingGate;
  /** The same gate with the timeout of a validation. */
  readonly validationGate: RecordingGate;
  readonly sessions: Sessions;
  readonly spentSignIns: SpentSignIns;
  readonly guesses: PasswordGuesses;
  readonly usage: KeyUsage;
  readonly leakReports: LeakReports;
  readonly passwords: Passwords;
  readonly limiter: RateLimiter;
  readonly platformTokens: PlatformTokens | undefined;
  readonly platformLogin: PlatformLogin | undefined;
  readonly meter: ValidationMeter;
  readonly refusals: Refusals;
}
