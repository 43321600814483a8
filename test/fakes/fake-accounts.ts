import type { Accounts, AccountTransaction } from '#application/account-ports.js';
import type { Account } from '#domain/accounts/account.js';
import { emailKey } from '#domain/accounts/account-profile.js';
import type { FakeStore } from './fake-store.js';
import { FormerAccount } from '#domain/accounts/former-account.js';
import { LatchkeyError } from '#domain/errors.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { isOpen } from '#domain/keys/key-status.js';
import { forgetMail, writeOutbox } from './fake-outbox.js';

export function fakeAccounts(store: FakeStore): Accounts {
  const all = () => [...store.accounts.keys()].sort().map((id) => store.account(id)!);
  const hasEmail = (account: Account, email: string) => emailKey(account.email) === emailKey(email);
  return {
    find: async (id) => store.account(id),
    findByEmail: async (email) => all().find((account) => hasEmail(account, email)),
    /** All accounts. The filters are tested on PostgreSQL. */
    list: async (_filter, afterId = '', limit) =>
      all()
        .filter(({ id }) => id > afterId)
        .slice(0, limit),
    rehash: (id, from, to) =>
      store.transaction(() => {
        const stored = store.accounts.get(id);
        if (stored?.passwordHash === from) store.accounts.set(id, { ...stored, passwordHash: to });
      }),
    countWithoutManagers: async () => 0,
    managedBy: async (personId) => store.managedBy(personId),
    transaction: (id, work, others) => store.transaction(() => work(fakeAccountTransaction(store, id, others))),
  };
}

/** Must run inside `FakeStore.transaction`, which undoes its writes if it fails. */
function fakeAccountTransaction(store: FakeStore, id: string, others: readonly string[] = []): AccountTransaction {
  const formerVersion = store.formerAccounts.get(id);
  /** In the order of their ids. */
  const ownKeys = () => {
    const own = [...store.keys.values()].filter(({ state }) => state.ownerId === id);
    return own.sort((one, other) => (one.state.id < other.state.id ? -1 : 1));
  };
  let endsLeases = false;
  const note = (saved: { readonly endsLeases: boolean }) => (endsLeases ||= saved.endsLeases);
  return {
    now: store.now(),
    unanswered: store.unanswered.get(id),
    get endsLeases() {
      return endsLeases;
    },
    leaveUnanswered: async (changeId) => void store.unanswered.set(id, changeId),
    account: store.account(id),
    formerAccount: formerVersion === undefined ? undefined : FormerAccount.restore(id, formerVersion),
    other: (otherId) => (others.includes(otherId) ? store.account(otherId) : undefined),
    managedIds: async () => store.managedBy(id).map((account) => account.id),
    saveAccount: async (account) => {
      note(account);
      const { email } = account;
      const holder = [...store.accounts.values()].find((other) => emailKey(other.email) === emailKey(email));
      if (email !== '' && holder && holder.id !== account.id)
        throw new LatchkeyError('email_taken', 'email belongs to another account');
      store.formerAccounts.delete(id);
      store.accounts.set(account.id, account.snapshot());
    },
    forgetAccount: async (former) => {
      note(former);
      store.accounts.delete(id);
      store.formerAccounts.set(id, former.version);
      for (const key of ownKeys()) {
        store.keys.set(key.state.id, { ...key, idempotencyKey: undefined, isPurged: true });
        store.idleNotices.delete(key.state.id);
      }
      forgetMail(store, id);
    },
    endSessions: async () => {
      for (const [token, { accountId }] of store.sessions) if (accountId === id) store.sessions.delete(token);
    },
    openKeys: async () => {
      const open = ownKeys().filter(({ state }) => isOpen(state));
      return open.map(({ state }) => ApiKey.restore(state));
    },
    findKey: async (keyId) => {
      const found = ownKeys().find(({ state, isPurged }) => state.id === keyId && !isPurged);
      return found && ApiKey.restore(found.state);
    },
    listed: async (key) => store.listed(key),
    lastUses: async () => store.lastUses,
    idleNotices: async () => {
      const own = ownKeys().filter(({ isPurged }) => !isPurged);
      return new Map([...store.idleNotices].filter(([keyId]) => own.some(({ state }) => state.id === keyId)));
    },
    saveIdleNotice: async (keyId, notice) => {
      if (notice) store.idleNotices.set(keyId, notice);
      else store.idleNotices.delete(keyId);
    },
    recordUse: async (keyId, at) => {
      const { replaces, replacedBy } = store.keys.get(keyId)!.state;
      for (const each of [keyId, replaces, replacedBy]) if (each) store.idleNotices.delete(each);
      if (!(store.lastUses.get(keyId)! > at)) store.lastUses.set(keyId, at);
    },
    findKeyByIdempotencyKey: async (key, createdBy) =>
      ownKeys().find(({ state, idempotencyKey }) => idempotencyKey === key && (state.createdBy ?? id) === createdBy)
        ?.state.id,
    keyMadeAt: async (keysBack) => {
      const made = ownKeys().flatMap(({ state, isPurged }) =>
        isPurged || state.displayPrefix !== null ? [] : [state.createdAt],
      );
      return made.sort((one, other) => other.getTime() - one.getTime())[keysBack - 1];
    },
    findByPublicParts: async (parts) => store.allKeys().filter((key) => parts.includes(key.snapshot().publicPart)),
    addKey: async (key, idempotencyKey) => {
      store.keys.set(key.id, { state: key.snapshot(), idempotencyKey, isPurged: false });
    },
    saveKey: async (key) => {
      note(key);
      if (key.ownerId === id) store.saveKey(key);
    },
    record: async (event, ownerId = id) => store.addChange(ownerId, event),
    notify: async (notice) => writeOutbox(store, [notice]),
  };
}
