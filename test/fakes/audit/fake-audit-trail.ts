import type {
  AuditTrailReading,
  AuditTrailTransaction,
  AuditTrailSnapshot,
  HistoryItem,
  AuditTrail,
} from '#application/audit-ports.js';
import type { AuditPruning, SealableEvent } from '#domain/audit/audit-seal.js';
import type { FakeStore, StoredPruning } from '../fake-store.js';
import { ACCOUNT_HISTORY_PREFIX, KEY_HISTORY_TYPES } from '#domain/audit/audit-event.js';
import { NO_TERMS } from '#domain/accounts/account-change.js';
import type { StoredAccount } from '#domain/audit/recorded-account.js';
import type { StoredPredecessor } from '#domain/audit/recorded-rotation.js';
import type { ApiKeyState } from '#domain/keys/key-state.js';

export function fakeAuditTrail(store: FakeStore): AuditTrail {
  return {
    unsealedEvents: async () => {
      const newest = store.events.at(-1)?.id ?? 0n;
      return Math.max(0, Number(newest - (store.seals.at(-1)?.toEventId ?? 0n)));
    },
    exclusively: async (work) => {
      if (store.isTrailHeld) return undefined;
      const { events, seals, prunings } = store;
      store.isTrailHeld = true;
      try {
        return await work(transactionOn(store));
      } catch (error) {
        Object.assign(store, { events, seals, prunings });
        throw error;
      } finally {
        store.isTrailHeld = false;
      }
    },
    events: async function* ({ since, until }) {
      yield* store.events.filter(({ at }) => (!since || at >= since) && (!until || at < until));
    },
    read: async (work) => {
      const { events, seals, prunings } = store;
      return work({ ...readingOf({ events, seals, prunings }, store.now()), ...historiesIn(store) });
    },
  };
}

function readingOf(trail: Pick<FakeStore, 'events' | 'seals' | 'prunings'>, now: Date): AuditTrailReading {
  return {
    now,
    newestSeal: async () => trail.seals.at(-1),
    seals: (fromId) => from(trail.seals, fromId),
    events: (fromId) => from(trail.events, fromId),
    prunings: async () => trail.prunings.filter((pruning): pruning is AuditPruning => pruning.mac !== null),
    newestEventId: async () => trail.events.at(-1)?.id ?? 0n,
  };
}

async function* from<T extends { readonly id: bigint }>(all: readonly T[], fromId: bigint): AsyncIterable<T> {
  yield* all.filter(({ id }) => id >= fromId);
}

function transactionOn(store: FakeStore): AuditTrailTransaction {
  const now = store.now();
  const lastPruningId = async () => store.prunings.at(-1)?.id ?? 0n;
  const prune = async (pruning: StoredPruning) => {
    const before = store.events.length;
    store.prunings = [...store.prunings, pruning];
    store.events = store.events.filter(({ id }) => id > pruning.toEventId);
    return before - store.events.length;
  };
  return {
    ...readingOf(store, now),
    timeline: store.timeline,
    writers: async () => [...store.writers],
    addSeal: async (seal) => void (store.seals = [...store.seals, seal]),
    lastPruningId,
    prune,
    /** Deletes the oldest events without a gap, so that one id describes what was deleted. */
    pruneUnsealed: async (before, limit) => {
      const oldest = store.events.slice(0, limit);
      const kept = oldest.findIndex(({ at }) => at >= before);
      const last = oldest.slice(0, kept === -1 ? undefined : kept).at(-1);
      if (!last) return 0;
      return prune({ id: (await lastPruningId()) + 1n, toSealId: null, toEventId: last.id, prunedAt: now, mac: null });
    },
  };
}

const PURGED: StoredAccount = { ...NO_TERMS, status: 'deleted' };

/** The stored keys and accounts with their events. */
function historiesIn(store: FakeStore): Pick<AuditTrailSnapshot, 'keys' | 'accounts' | 'prunedUnsealedAt'> {
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
