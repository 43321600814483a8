import type {
  PasswordGuesses,
  Passwords,
  PlatformLogin,
  PlatformTokens,
  RecordingGate,
  Instances,
} from '#application/ports.js';
import { buildUseCases, type Settings } from '#composition/use-cases.js';
import { ChangeWaits } from '#application/change-waits.js';
import type { RateLimit } from '#domain/rate-limit.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { PASSWORD, SERVICE_POLICY } from '../support/application/calls.js';
import { fakeAccounts } from './accounts/fake-accounts.js';
import { fakeAudit } from './audit/fake-audit.js';
import { fakeAuditTrail } from './audit/fake-audit-trail.js';
import { FakeStore } from './fake-store.js';
import { FakeRefusals, FakeValidationMeter } from './recorders.js';
import { fakeApiKeys } from './keys/fake-api-keys.js';
import { fakeDueKeys, fakeIdleKeys } from './keys/fake-due-keys.js';
import { fakeKeyReader, fakeKeyUsage } from './keys/fake-key-usage.js';
import { fakeOutbox } from './notices/fake-outbox.js';
import { fakeLeakReports } from './leaks/fake-leak-reports.js';
import { FakePasswords, fakeHash } from './sessions/fake-passwords.js';
import { fakePasswordGuesses, fakeSessions, fakeSpentSignIns } from './sessions/fake-sessions.js';

export interface Parts {
  /** By default a new store. */
  readonly store?: FakeStore;
  readonly passwords?: Passwords;
  readonly guesses?: PasswordGuesses;
  readonly tokens?: PlatformTokens;
  readonly login?: PlatformLogin;
  readonly rateLimit?: RateLimit;
  readonly settings?: Partial<Settings>;
}

export type FakeApplication = ReturnType<typeof openFakes>;

/** What an account must have to see the keys of all owners. */
export const ADMIN_PERMISSION = 'api-keys:administer';

/** Transactions on the fakes run one after the other anyway. */
const openGate: RecordingGate = { pass: (_keyId, _since, record) => record() };

/** The fakes behind all ports, on one store. */
export function fakePorts(store: FakeStore, parts: Omit<Parts, 'store' | 'settings'> = {}) {
  const instances = fakeInstances(store);
  return {
    keyReader: fakeKeyReader(store),
    importReader: fakeKeyReader(store),
    databaseClock: store,
    audit: fakeAudit(store),
    auditTrail: fakeAuditTrail(store),
    outbox: fakeOutbox(store),
    webhookReceiver: undefined,
    mailReceiver: undefined,
    dueKeys: fakeDueKeys(store),
    idleKeys: fakeIdleKeys(store),
    keys: fakeApiKeys(store),
    accounts: fakeAccounts(store),
    instances,
    changeWaits: new ChangeWaits(instances),
    recordingGate: openGate,
    validationGate: openGate,
    sessions: fakeSessions(store),
    spentSignIns: fakeSpentSignIns(),
    guesses: parts.guesses ?? fakePasswordGuesses(store),
    leakReports: fakeLeakReports(store),
    usage: fakeKeyUsage(store),
    passwords: parts.passwords ?? new FakePasswords(),
    limiter: new MemoryRateLimiter(() => store.now().getTime() * 1000),
    platformTokens: parts.tokens,
    platformLogin: parts.login,
    meter: new FakeValidationMeter(),
    refusals: new FakeRefusals(),
  };
}

/** The use cases on fakes. Nothing has to be started or closed. */
export function openFakes({ store = new FakeStore(), settings, ...parts }: Parts = {}) {
  const rateLimit = parts.rateLimit ?? { perSecond: 20, burst: 100 };
  const ports = fakePorts(store, parts);
  const useCases = buildUseCases(
    {
      keyPrefix: 'lk',
      importPrefixes: [],
      adminPermission: ADMIN_PERMISSION,
      keyChangesPerHour: 0,
      keyPolicy: SERVICE_POLICY,
      rateLimit,
      leaseMs: 0,
      passwordSignIn: true,
      freshSignIn: { maxAgeSeconds: 300, acrValues: [] },
      signInRules: undefined,
      audit: { sealKeys: [], retentionDays: undefined },
      noticeReceivers: { webhook: true, mail: true },
      expiryNoticeDays: [30, 7, 1],
      ...settings,
    },
    ports,
  );
  return { ...ports, ...useCases, rateLimit, leaseMs: 0, cheapHash: fakeHash(PASSWORD, 1024), store };
}

function fakeInstances(store: FakeStore): Instances {
  return {
    longestLeaseMs: async () => store.longestLeaseMs,
    clear: async (changes) => {
      for (const { ownerId, changeId } of changes) {
        if (store.unanswered.get(ownerId) === changeId) store.unanswered.delete(ownerId);
      }
    },
  };
}
