import type { Account } from '../../domain/accounts/account.js';
import type { Attribute } from '../../domain/accounts/account-attributes.js';
import type { AccountLimits } from '../../domain/accounts/account-limits.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import type { Accounts } from '../ports.js';
import { changeAccount } from './save-account.js';

interface LimitChange {
  readonly limits: AccountLimits;
  /** Whether these replace all stored limits. Otherwise the stored ones that are not given stay. */
  readonly isWhole: boolean;
  readonly version: bigint | undefined;
}

/** Changes the limits or the attributes of an account alone. */
export class ChangeEntitlements {
  constructor(private readonly accounts: Accounts) {}

  limit(id: string, { limits, isWhole, version }: LimitChange, actor: Actor): Promise<Account> {
    return changeAccount(this.accounts, { id, actor }, (account) => {
      account.limitKeys(isWhole ? limits : { ...account.limits, ...limits }, version);
    });
  }

  describe(id: string, attributes: readonly Attribute[], version: bigint | undefined, actor: Actor): Promise<Account> {
    return changeAccount(this.accounts, { id, actor }, (account) => account.describe(attributes, version));
  }
}
