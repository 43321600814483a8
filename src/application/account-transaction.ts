import type { Account } from '../domain/accounts/account.js';
import type { FormerAccount } from '../domain/accounts/former-account.js';
import type { AuditEvent } from '../domain/audit/audit-event.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { KeyNotice } from '../domain/notices/key-notice.js';
import type { ListedKey } from './lists.js';
import { LatchkeyError } from '../domain/errors.js';

/** One account, locked. Everything done through it commits together when the work resolves, or not at all. */
export interface AccountTransaction {
  readonly now: Date;
  /** Undefined when no such account exists, or it was purged. */
  readonly account: Account | undefined;
  /** What is left of the account if it was purged, until a new one is saved under its id. */
  readonly formerAccount: FormerAccount | undefined;
  /** Throws `email_taken` when another account holds the email. */
  saveAccount(account: Account): Promise<void>;
  /**
   * Keeps of the account no more than this, and its keys and events where no account under the same id comes to see them.
   * What its keys did is forgotten. No mail that is waiting is sent to its owner.
   */
  forgetAccount(former: FormerAccount): Promise<void>;
  endSessions(): Promise<void>;
  /** The keys of this account that are not revoked and not known to be expired. */
  openKeys(): Promise<ApiKey[]>;
  /** Undefined when the account has no such key: another owner's key does not exist here. */
  findKey(keyId: string): Promise<ListedKey | undefined>;
  findKeyByIdempotencyKey(idempotencyKey: string): Promise<string | undefined>;
  addKey(key: ApiKey, idempotencyKey: string | undefined): Promise<void>;
  saveKey(key: ApiKey): Promise<void>;
  record(event: AuditEvent): Promise<void>;
  /** Is sent to whoever is configured to receive it, once all of this has committed. */
  tell(notice: KeyNotice): Promise<void>;
}

export function accountNotFound(): LatchkeyError {
  return new LatchkeyError('account_not_found', 'id names no account');
}
