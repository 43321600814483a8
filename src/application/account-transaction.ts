import type { Account } from '../domain/accounts/account.js';
import type { AuditEvent } from '../domain/audit/audit-event.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { ListedKey } from './listed-key.js';

/** One account, locked. Everything done through it commits together when the work resolves, or not at all. */
export interface AccountTransaction {
  readonly now: Date;
  /** Undefined when no such account exists. */
  readonly account: Account | undefined;
  /** Throws `email_taken` when another account holds the email. */
  saveAccount(account: Account): Promise<void>;
  endSessions(): Promise<void>;
  /** The keys of this account that are not revoked and not known to be expired. */
  openKeys(): Promise<ApiKey[]>;
  /** Undefined when the account has no such key: another owner's key does not exist here. */
  findKey(keyId: string): Promise<ListedKey | undefined>;
  findKeyByIdempotencyKey(idempotencyKey: string): Promise<string | undefined>;
  addKey(key: ApiKey, idempotencyKey: string | undefined): Promise<void>;
  saveKey(key: ApiKey): Promise<void>;
  record(event: AuditEvent): Promise<void>;
}
