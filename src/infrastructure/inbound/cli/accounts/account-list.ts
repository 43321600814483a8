import { type Command, Option } from 'commander';
import { type AccountListing, MAX_ACCOUNTS_PAGE } from '../../../../application/accounts/list-accounts.js';
import { ACCOUNT_STATUSES } from '../../../../domain/accounts/account.js';
import { viewOf } from './account-views.js';
import type { Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { onDatabase } from '../environment.js';
import { table } from '../table.js';

type ListOptions = Pick<AccountListing, 'status' | 'email' | 'pageToken'>;

export function addListCommand(account: Command, databases: Databases): void {
  const list = account
    .command('list')
    .description(`accounts in the order of their ids, ${MAX_ACCOUNTS_PAGE} a page; purged ones are none`)
    .addOption(new Option('--status <status>').choices(ACCOUNT_STATUSES))
    .option('--email <address>', 'the one that has it, in any case')
    .option('--page-token <token>', 'goes on where the page before ended');
  answering(list, (options: ListOptions) => listAccounts(databases, options));
}

async function listAccounts(databases: Databases, { status, email, pageToken }: ListOptions): Promise<Answer> {
  const listing = { status, email, pageToken, pageSize: MAX_ACCOUNTS_PAGE };
  const page = await onDatabase(databases, ({ listAccounts: list }) => list.execute(listing));
  const { accounts, nextPageToken } = page;
  const items = accounts.map(viewOf);
  const rows = items.map((item) => [item.id, item.status, item.email, item.displayName]);
  const lines = items.length > 0 ? [table(['ID', 'STATUS', 'EMAIL', 'NAME'], rows)] : ['no accounts'];
  const more = nextPageToken === undefined ? [] : [`more: --page-token ${nextPageToken}`];
  return { document: { items, nextPageToken: nextPageToken ?? null }, text: [...lines, ...more].join('\n') };
}
