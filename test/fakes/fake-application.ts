import type { Instances } from '#application/account-ports.js';
import type { AuditTrail } from '#application/audit-ports.js';
import type { RecordingGate } from '#application/key-ports.js';
import type { LeakReports } from '#application/leak-ports.js';
import type { Outbox } from '#application/notice-ports.js';
import type { Ports } from '#application/ports.js';
import { readConfig } from '#config/config.js';
import { buildUseCases, type Settings } from '#composition/use-cases.js';
import { ChangeWaits } from '#application/change-waits.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { PASSWORD } from '../support/application/calls.js';
import { fakeAccounts } from './fake-accounts.js';
import { fakeAudit } from './fake-audit.js';
import { FakeStore } from './fake-store.js';
import { fakeRefusals, fakeValidationMeter } from './recorders.js';
import { fakeApiKeys, fakeDueKeys, fakeIdleKeys, fakeKeyReader, fakeKeyUsage } from './fake-keys.js';
import { FakePasswords, fakeHash } from './fake-passwords.js';
import { fakePasswordGuesses, fakeSessions, fakeSpentSignIns } from './fake-sessions.js';

interface Given extends Partial<Pick<Ports, 'passwords' | 'guesses' | 'platformTokens' | 'platformLogin'>> {
  /** By default a new store. */
  readonly store?: FakeStore;
  readonly settings?: Partial<Settings>;
}

export type FakeApplication = ReturnType<typeof openFakes>;

/** What an account must have to see the keys of all owners. */
export const ADMIN_PERMISSION = 'api-keys:administer';

const DEFAULTS: Settings = {
  ...readConfig({ DEMO: '1', DATABASE_URL: 'postgres://nowhere' }),
  adminPermission: ADMIN_PERMISSION,
  keyChangesPerHour: 0,
  noticeReceivers: { webhook: true, mail: true },
};

/** Transactions on the fakes run one after the other anyway. */
const openGate: RecordingGate = { pass: (_keyId, _since, record) => record() };

/** The fakes behind all ports, on one store. */
export function fakePorts(store: FakeStore) {
  const instances: Instances = {
    longestLeaseMs: async () => store.longestLeaseMs,
    clear: async (changes) => {
      const ended = changes.filter(({ ownerId, changeId }) => store.unanswered.get(ownerId) === changeId);
      for (const { ownerId } of ended) store.unanswered.delete(ownerId);
    },
  };
  return {
    keyReader: fakeKeyReader(store),
    importReader: fakeKeyReader(store),
    databaseClock: store,
    audit: fakeAudit(store),
    // Used only on PostgreSQL.
    auditTrail: {} as AuditTrail,
    leakReports: {} as LeakReports,
    outbox: {} as Outbox,
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
    guesses: fakePasswordGuesses(store),
    usage: fakeKeyUsage(store),
    passwords: new FakePasswords(),
    limiter: new MemoryRateLimiter(() => store.now().getTime() * 1000),
    platformTokens: undefined,
    platformLogin: undefined,
    meter: fakeValidationMeter(),
    refusals: fakeRefusals(),
  };
}

/** The use cases on fakes. Nothing has to be started or closed. */
export function openFakes({ store = new FakeStore(), settings = {}, ...replaced }: Given = {}) {
  const ports = { ...fakePorts(store), ...replaced };
  const all = { ...DEFAULTS, ...settings };
  const { rateLimit, leaseMs } = all;
  const useCases = buildUseCases(all, ports);
  return { ...ports, ...useCases, rateLimit, leaseMs, cheapHash: fakeHash(PASSWORD, 1024), store };
}
