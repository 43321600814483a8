import type { AuditTrailSnapshot, HistoryItem } from '#application/audit-trail-ports.js';
import { ACCOUNT_HISTORY_PREFIX, KEY_HISTORY_TYPES } from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { NO_TERMS } from '#domain/accounts/account-change.js';
import type { StoredAccount } from '#domain/audit/recorded-account.js';
import type { StoredPredecessor } from '#domain/audit/recorded-rotation.js';
import type { ApiKeyState } from '#domain/keys/key-state.js';
import type { FakeStore } from '../fake-store.js';

const PURGED: StoredAccount = { ...NO_TERMS, status: 'deleted' };

/** The stored keys and accounts with their events. */
export function historiesIn(store: FakeStore): Pick<AuditTrailSnapshot, 'keys' | 'accounts' | 'prunedUnsealedAt'> {
  const keys = new Map(
    [...store.keys].map(([id, { state }]) => [id, { ...state, replaced: replacedBy(store, state) }]),
  );
  const former = [...store.formerAccounts.keys()].map((id) => [id, PURGED] as const);
  const accounts = new Map<string, StoredAccount>([...store.accounts, ...former]);
  const isOfKey = ({ type }: SealableEvent) => KEY_HISTORY_TYPES.some((each) => each === type);
  const isOfAccount = ({ type }: SealableEvent) => type.startsWith(ACCOUNT_HISTORY_PREFIX);
  return {
    keys: () => histories(keys, store.events.filter(isOfKey), ({ keyId }) => keyId),
    accounts: () => histories(accounts, store.events.filter(isOfAccount), ({ ownerId }) => ownerId),
    prunedUnsealedAt: async () => store.prunings.findLast(({ mac }) => mac === null)?.prunedAt,
  };
}

function replacedBy(store: FakeStore, { replaces }: ApiKeyState): StoredPredecessor | undefined {
  const replaced = replaces === null ? undefined : store.keys.get(replaces)?.state;
  const successors = [...store.keys.values()].filter(({ state }) => state.replaces === replaces).length;
  return replaced && { ...replaced, successors };
}

async function* histories<T>(
  stored: ReadonlyMap<string, T>,
  events: readonly SealableEvent[],
  subjectOf: (event: SealableEvent) => string | null,
): AsyncIterable<HistoryItem<T>> {
  for (const id of new Set([...stored.keys(), ...events.map(subjectOf)])) {
    if (id === null) continue;
    const own = events.filter((event) => subjectOf(event) === id);
    for (const event of own.length > 0 ? own : [undefined]) yield { id, stored: stored.get(id), event };
  }
}
