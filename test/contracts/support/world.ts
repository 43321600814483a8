import { randomUUID } from 'node:crypto';
import type { AccountTransaction, Instances } from '#application/account-ports.js';
import { sessionOpened } from '#application/sessions/sign-in.js';
import { saveKeys } from '#application/keys/change-keys.js';
import type { OutboxMessage, UndeliveredNotices } from '#application/notice-ports.js';
import type { Ports } from '#application/ports.js';
import { Account } from '#domain/accounts/account.js';
import { type AccountProfile } from '#domain/accounts/account-profile.js';
import { FormerAccount } from '#domain/accounts/former-account.js';
import { type OwnerEventType, NO_CLIENT, type RecordedEvent, SHOWN_EVENT_TYPES } from '#domain/audit/audit-event.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { KeyString } from '#domain/keys/key-string.js';
import { POLICY } from '#test/support/application/calls.js';

/** What a contract suite needs from the fakes and from the adapters, on one store and one clock. */
export interface World extends Omit<Ports, 'passwords' | 'limiter' | 'platformTokens'> {
  readonly instances: Instances;
  /** Only on PostgreSQL. */
  readonly undelivered?: UndeliveredNotices;
  /** The messages of the webhook that wait, in the order of their numbers. */
  notices(): Promise<readonly Pick<OutboxMessage, 'id' | 'type' | 'data'>[]>;
  now(): Promise<Date>;
  /** Moves the clock, which otherwise stands still. Negative values move it back. */
  pass(ms: number): Promise<void>;
  /** Resolves after the noted usage has been stored. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const HASH = 'hash of a password';

/** A new account with the password hash HASH. */
export async function newAccount(
  { accounts }: World,
  profile: Partial<AccountProfile> = {},
  id = `u-${randomUUID()}`,
): Promise<string> {
  await accounts.transaction(id, async (transaction) => {
    const defaults = { email: `${id}@example.org`, displayName: 'Ada', permissions: ['systems:read'] };
    const account = Account.open(id, { ...defaults, ...profile });
    account.changePassword(HASH);
    await transaction.saveAccount(account);
  });
  return id;
}

/** For a person who signed in with a password, by default with HASH. */
export function beginSession({ sessions }: World, accountId: string, passwordHash = HASH) {
  return sessions.begin({ accountId, passwordHash, event: sessionOpened(accountId, NO_CLIENT) });
}

/** Changes an account in a transaction of its own. */
export function change(
  { accounts }: World,
  accountId: string,
  transition: (account: Account, now: Date) => void,
): Promise<Account> {
  return accounts.transaction(accountId, async (transaction) => {
    const { account } = transaction;
    transition(account!, transaction.now);
    await transaction.saveAccount(account!);
    return account!;
  });
}

/** Purges only the account. Does not end its keys and sessions. */
export function purge({ accounts }: World, accountId: string, version?: bigint): Promise<void> {
  return accounts.transaction(accountId, async (transaction) => {
    const former = FormerAccount.purge(transaction.account ?? transaction.formerAccount!, version);
    await transaction.forgetAccount(former);
  });
}

/** A key of one day by default. */
export function newKey(
  { accounts }: World,
  ownerId: string,
  {
    name = 'Zoë’s "CI"',
    access = 'read-only',
    expiresInDays = 1,
    idempotencyKey,
  }: { name?: string; access?: AccessLevel; expiresInDays?: number; idempotencyKey?: string } = {},
): Promise<ApiKey> {
  return accounts.transaction(ownerId, async (transaction) => {
    const order = { id: randomUUID(), ownerId, name, access, expiresInDays };
    const key = ApiKey.issue(order, KeyString.generate('lk'), transaction.now);
    await transaction.addKey(key, idempotencyKey);
    return key;
  });
}

/** Replaces the key by a successor, which has been used. */
export function rotate(
  { accounts }: World,
  { id, ownerId }: ApiKey,
  { graceSeconds, isUsed = true }: { graceSeconds: number; isUsed?: boolean },
): Promise<ApiKey> {
  return accounts.transaction(ownerId, async (transaction) => {
    const keys = new OwnerKeys(await transaction.openKeys());
    const order = { id: randomUUID(), expiresInDays: undefined, graceSeconds, policy: POLICY };
    const successor = keys.rotate(id, order, KeyString.generate('lk'), transaction.now) as ApiKey;
    if (isUsed) keys.firstUsed(successor.id, transaction.now);
    await saveKeys(transaction, { keys, actor: { actorId: ownerId, client: NO_CLIENT } });
    return successor;
  });
}

export function revoke({ accounts }: World, key: ApiKey): Promise<void> {
  return accounts.transaction(key.ownerId, async (transaction) => {
    const stored = (await transaction.findKey(key.id))!;
    stored.revoke(transaction.now);
    await transaction.saveKey(stored);
  });
}

/**
 * Gives concurrent calls time to go wrong while the transaction is open. Waits for some round trips, because no event
 * shows that a call is blocked.
 */
export async function linger(transaction: AccountTransaction): Promise<void> {
  for (let trips = 0; trips < 20; trips += 1) await transaction.openKeys();
}

/** The owner's events, oldest first. By default only the types that owners see without a filter. */
export async function eventsOf(
  { audit }: World,
  ownerId: string,
  types: readonly OwnerEventType[] = SHOWN_EVENT_TYPES,
): Promise<RecordedEvent[]> {
  return [...(await audit.list(ownerId, { types }, { limit: 50 })).items].reverse();
}
