import type { PasswordGuesses, Passwords, PlatformLogin, PlatformTokens } from '../../src/application/ports.js';
import { buildUseCases, type Settings } from '../../src/composition/use-cases.js';
import { SHOWN_EVENT_TYPES } from '../../src/domain/audit/audit-event.js';
import type { SealableEvent } from '../../src/domain/audit/audit-seal.js';
import type { RateLimit } from '../../src/domain/rate-limit.js';
import { HOUR_MS } from '../../src/domain/time.js';
import { MemoryRateLimiter } from '../../src/infrastructure/outbound/memory/memory-rate-limiter.js';
import { PASSWORD } from '../support/application/calls.js';
import { FakeAccounts } from './accounts/fake-accounts.js';
import { FakeAudit } from './audit/fake-audit.js';
import { FakeAuditTrail } from './audit/fake-audit-trail.js';
import { FakeRefusals } from './fake-refusals.js';
import { FakeStore } from './fake-store.js';
import { FakeApiKeys } from './keys/fake-api-keys.js';
import { FakeDueKeys } from './keys/fake-due-keys.js';
import { FakeKeyReader } from './keys/fake-key-reader.js';
import { FakeKeyUsage } from './keys/fake-key-usage.js';
import { FakeValidationMeter } from './keys/fake-validation-meter.js';
import { FakeOutbox } from './notices/fake-outbox.js';
import { FakeLeakReports } from './leaks/fake-leak-reports.js';
import { FakePasswordGuesses } from './sessions/fake-password-guesses.js';
import { FakePasswords, fakeHash } from './sessions/fake-passwords.js';
import { FakeSessions } from './sessions/fake-sessions.js';

export interface Parts {
  /** A world of its own unless given. */
  readonly store?: FakeStore;
  readonly passwords?: Passwords;
  readonly guesses?: PasswordGuesses;
  readonly tokens?: PlatformTokens;
  readonly login?: PlatformLogin;
  readonly rateLimit?: RateLimit;
  readonly settings?: Partial<Settings>;
}

export type FakeApplication = ReturnType<typeof openFakes>;

/** What stands behind the ports of one world in memory. */
export function fakePorts(store: FakeStore, parts: Omit<Parts, 'store' | 'settings'> = {}) {
  return {
    keyReader: new FakeKeyReader(store),
    audit: new FakeAudit(store),
    auditTrail: new FakeAuditTrail(store),
    outbox: new FakeOutbox(store),
    webhookReceiver: undefined,
    mailReceiver: undefined,
    dueKeys: new FakeDueKeys(store),
    keys: new FakeApiKeys(store),
    accounts: new FakeAccounts(store),
    firstUses: new FakeAccounts(store),
    sessions: new FakeSessions(store),
    guesses: parts.guesses ?? new FakePasswordGuesses(store),
    leakReports: new FakeLeakReports(store),
    usage: new FakeKeyUsage(store),
    passwords: parts.passwords ?? new FakePasswords(),
    limiter: new MemoryRateLimiter(
      parts.rateLimit ?? { perSecond: 20, burst: 100 },
      () => store.now().getTime() * 1000,
    ),
    platformTokens: parts.tokens,
    platformLogin: parts.login,
    meter: new FakeValidationMeter(),
    refusals: new FakeRefusals(),
  };
}

/** The use cases over fakes: nothing is started, and nothing has to be closed. */
export function openFakes({ store = new FakeStore(), settings, ...parts }: Parts = {}) {
  const ports = fakePorts(store, parts);
  const useCases = buildUseCases(
    {
      keyPrefix: 'lk',
      passwordSignIn: true,
      freshSignIn: { maxAgeSeconds: 300, acrValues: [] },
      audit: { sealKeys: [], retentionDays: undefined },
      noticeReceivers: { webhook: true, mail: true },
      expiryNoticeDays: [30, 7, 1],
      ...settings,
    },
    ports,
  );
  return { ...ports, ...useCases, cheapHash: fakeHash(PASSWORD, 1024), store };
}

/** The key's time ran out an hour ago, and its expiry has not been observed yet. */
export function runOut({ store }: FakeApplication, ...keyIds: string[]): void {
  endAt(store, new Date(store.now().getTime() - HOUR_MS), ...keyIds);
}

export function endAt(store: FakeStore, expiresAt: Date, ...keyIds: string[]): void {
  for (const id of keyIds) {
    const stored = store.keys.get(id)!;
    store.keys.set(id, { ...stored, state: { ...stored.state, expiresAt } });
  }
}

/** What is on record of an owner, oldest first: what types begin with one of these, and unless given, what owners see unasked. */
export function eventsOf({ store }: FakeApplication, ownerId: string, ...types: readonly string[]): SealableEvent[] {
  const shown = types.length > 0 ? types : SHOWN_EVENT_TYPES;
  return store.events.filter((event) => event.ownerId === ownerId && shown.some((type) => event.type.startsWith(type)));
}
