import { type Account, accountIdProblem, type AccountStatus, emailProblem } from '../../domain/accounts/account.js';
import { invalidFields, requireFields } from '../../domain/errors.js';
import type { Accounts } from '../ports.js';

export const MAX_ACCOUNTS_PAGE = 1000;
const DEFAULT_PAGE = 100;

export interface AccountListing {
  /** Any, unless given. */
  readonly status?: AccountStatus | undefined;
  /** In any case. */
  readonly email?: string | undefined;
  /** Up to MAX_ACCOUNTS_PAGE; 0 for as many as we like. */
  readonly pageSize: number;
  /** As the page before answered it. */
  readonly pageToken?: string | undefined;
}

export interface AccountPage {
  readonly accounts: readonly Account[];
  readonly nextPageToken: string | undefined;
}

export class ListAccounts {
  constructor(private readonly accounts: Accounts) {}

  /** In the order of their ids, so that no page misses or repeats an account, whatever comes and goes meanwhile. */
  async execute({ status, email, pageSize, pageToken }: AccountListing): Promise<AccountPage> {
    requireFields({
      email: email === undefined ? undefined : emailProblem(email),
      pageSize: pageSize <= MAX_ACCOUNTS_PAGE ? undefined : `must be at most ${MAX_ACCOUNTS_PAGE}`,
    });
    const size = pageSize || DEFAULT_PAGE;
    const after = pageToken === undefined ? undefined : decode(pageToken);
    const found = await this.accounts.list({ status, email }, after, size + 1);
    const accounts = found.slice(0, size);
    return { accounts, nextPageToken: found.length > size ? encode(accounts.at(-1)!.id) : undefined };
  }
}

/** Opaque to clients, which pass it back, and checked by us. */
function encode(id: string): string {
  return Buffer.from(id).toString('base64url');
}

function decode(pageToken: string): string {
  const id = Buffer.from(pageToken, 'base64url').toString();
  if (accountIdProblem(id) === undefined && encode(id) === pageToken) return id;
  throw invalidFields([{ field: 'pageToken', message: 'must be the next_page_token of a page before' }]);
}
