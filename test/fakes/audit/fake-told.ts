import type { AuditTrailSnapshot, Told } from '../../../src/application/audit/audit-trail.js';
import type { SealableEvent } from '../../../src/domain/audit/audit-seal.js';
import type { StoredAccount } from '../../../src/domain/audit/recorded-account.js';
import type { FakeStore } from '../fake-store.js';

const PURGED: StoredAccount = { permissions: [], status: 'deleted' };
const KEY_EVENTS = ['api_key.created', 'api_key.revoked', 'api_key.expired'];

/** What the record tells of what is stored, as both stand now. */
export function toldBy(store: FakeStore): Pick<AuditTrailSnapshot, 'keys' | 'accounts' | 'prunedUnsealedAt'> {
  const keys = new Map([...store.keys].map(([id, { state }]) => [id, state]));
  const former = [...store.formerAccounts.keys()].map((id) => [id, PURGED] as const);
  const accounts = new Map<string, StoredAccount>([...store.accounts, ...former]);
  const ofKeys = store.events.filter(({ type, keyId }) => keyId !== null && KEY_EVENTS.includes(type));
  const ofAccounts = store.events.filter(({ type, ownerId }) => ownerId !== null && type.startsWith('account.'));
  const unsealed = store.prunings.findLast(({ mac }) => mac === null);
  return {
    keys: () => told(keys, ofKeys, ({ keyId }) => keyId!),
    accounts: () => told(accounts, ofAccounts, ({ ownerId }) => ownerId!),
    prunedUnsealedAt: async () => unsealed?.prunedAt,
  };
}

async function* told<T>(
  stored: ReadonlyMap<string, T>,
  events: readonly SealableEvent[],
  idOf: (event: SealableEvent) => string,
): AsyncIterable<Told<T>> {
  for (const id of new Set([...stored.keys(), ...events.map(idOf)])) {
    const own = events.filter((event) => idOf(event) === id);
    for (const event of own.length > 0 ? own : [undefined]) yield { id, stored: stored.get(id), event };
  }
}
