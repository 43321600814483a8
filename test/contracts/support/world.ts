import { randomUUID } from 'node:crypto';
import type { AccountTransaction } from '../../../src/application/account-transaction.js';
import { sessionOpened } from '../../../src/application/sessions/sign-in.js';
import { saveKeys } from '../../../src/application/keys/change-keys.js';
import type { UndeliveredNotices } from '../../../src/application/ports.js';
import type { Ports } from '../../../src/composition/use-cases.js';
import { Account, type AccountProfile } from '../../../src/domain/accounts/account.js';
import { FormerAccount } from '../../../src/domain/accounts/former-account.js';
import {
  type OwnerEventType,
  NO_CLIENT,
  type RecordedEvent,
  SHOWN_EVENT_TYPES,
} from '../../../src/domain/audit/audit-event.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { OwnerKeys } from '../../../src/domain/keys/owner-keys.js';
import { KeyString } from '../../../src/domain/keys/key-string.js';

/** What a contract suite asks of the fakes and of the adapters alike, over one store and one clock. */
export interface World extends Omit<Ports, 'passwords' | 'limiter' | 'platformTokens'> {
  /** Given on PostgreSQL. */
  readonly undelivered?: UndeliveredNotices;
  now(): Promise<Date>;
  /** Moves the clock, which stands still otherwise. Backwards too. */
  pass(ms: number): Promise<void>;
  /** Resolves once what was noted of uses is stored. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const HASH = 'hash of a password';

/** A new account, whose password hash is HASH. */
export async function newAccount({ accounts }: World, profile: Partial<AccountProfile> = {}): Promise<string> {
  const id = `u-${randomUUID()}`;
  await accounts.transaction(id, async (transaction) => {
    const defaults = { email: `${id}@example.org`, displayName: 'Ada', permissions: ['systems:read'] };
    const account = Account.open(id, { ...defaults, ...profile });
    account.changePassword(HASH);
    await transaction.saveAccount(account);
  });
  return id;
}

/** Of a person who signed in with a password: HASH unless another is given. */
export function beginSession({ sessions }: World, accountId: string, passwordHash = HASH) {
  return sessions.begin({ accountId, passwordHash, event: sessionOpened(accountId, NO_CLIENT) });
}

/** What becomes of an account in a transaction of its own. */
export function change(
  { accounts }: World,
  accountId: string,
  transition: (account: Account) => void,
): Promise<Account> {
  return accounts.transaction(accountId, async (transaction) => {
    const { account } = transaction;
    transition(account!);
    await transaction.saveAccount(account!);
    return account!;
  });
}

/** Ends nothing by itself: the account alone is forgotten. */
export function purge({ accounts }: World, accountId: string, version?: bigint): Promise<void> {
  return accounts.transaction(accountId, async (transaction) => {
    const former = FormerAccount.purge(transaction.account ?? transaction.formerAccount!, version);
    await transaction.forgetAccount(former);
  });
}

/** A key of a day unless said otherwise. */
export function newKey(
  { accounts }: World,
  ownerId: string,
  { expiresInDays = 1, idempotencyKey }: { expiresInDays?: number; idempotencyKey?: string } = {},
): Promise<ApiKey> {
  return accounts.transaction(ownerId, async (transaction) => {
    const order = { id: randomUUID(), ownerId, name: 'Zoë’s "CI"', access: 'read-only', expiresInDays } as const;
    const key = ApiKey.issue(order, KeyString.generate('lk'), transaction.now);
    await transaction.addKey(key, idempotencyKey);
    return key;
  });
}

/** The key is replaced by another, which has been used. */
export function rotate(
  { accounts }: World,
  { id, ownerId }: ApiKey,
  { graceSeconds, isUsed = true }: { graceSeconds: number; isUsed?: boolean },
): Promise<ApiKey> {
  return accounts.transaction(ownerId, async (transaction) => {
    const keys = new OwnerKeys(await transaction.openKeys());
    const order = { id: randomUUID(), expiresInDays: undefined, graceSeconds };
    const successor = keys.rotate(id, order, KeyString.generate('lk'), transaction.now) as ApiKey;
    if (isUsed) keys.firstUsed(successor.id, transaction.now);
    await saveKeys(transaction, { keys, actor: { actorId: ownerId, client: NO_CLIENT } });
    return successor;
  });
}

export function revoke({ accounts }: World, key: ApiKey): Promise<void> {
  return accounts.transaction(key.ownerId, async (transaction) => {
    const { key: stored } = (await transaction.findKey(key.id))!;
    stored.revoke(transaction.now);
    await transaction.saveKey(stored);
  });
}

/** Gives what was begun beside the transaction the time to go wrong: some round trips, for no event says that it waits. */
export async function linger(transaction: AccountTransaction): Promise<void> {
  for (let trips = 0; trips < 20; trips += 1) await transaction.openKeys();
}

/** The owner's events, oldest first: those that owners see unasked, unless other types are given. */
export async function eventsOf(
  { audit }: World,
  ownerId: string,
  types: readonly OwnerEventType[] = SHOWN_EVENT_TYPES,
): Promise<RecordedEvent[]> {
  return [...(await audit.list(ownerId, { types }, { limit: 50 })).items].reverse();
}
