import type { Account } from '#domain/accounts/account.js';
import { accountIdProblem, emailProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import {
  DEFAULT_PAGE_SIZE,
  type LongPageRequest,
  type Page,
  pageOf,
  pageSizeProblem,
  textIn,
  wrongPageToken,
} from '../lists.js';
import { type AccountFilter, type Accounts, accountNotFound } from '../account-ports.js';

export interface AccountListing extends LongPageRequest, AccountFilter {}

export class FindAccounts {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `account_not_found`. */
  async byId(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (!account) throw accountNotFound();
    return account;
  }

  /** In the order of the ids, so that no page skips or repeats an account when others are added or purged. */
  async list({ pageSize, pageToken, ...filter }: AccountListing): Promise<Page<Account>> {
    requireFields({
      email: filter.email === undefined ? undefined : emailProblem(filter.email),
      pageSize: pageSizeProblem(pageSize),
    });
    const size = pageSize || DEFAULT_PAGE_SIZE;
    const after = pageToken === undefined ? undefined : textIn(pageToken);
    if (pageToken !== undefined && accountIdProblem(after ?? '')) throw wrongPageToken();
    const found = await this.accounts.list(filter, after, size + 1);
    return pageOf(found, size, ({ id }) => id);
  }
}
