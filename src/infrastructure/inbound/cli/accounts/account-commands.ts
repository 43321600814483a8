import { type Command, Option } from 'commander';
import { accountIdProblem, type Account, ACCOUNT_STATUSES } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import { type AccountListing, MAX_ACCOUNTS_PAGE } from '../../../../application/accounts/list-accounts.js';
import type { Databases } from '../administration.js';
import { answering, type Answer, table } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { UsageError } from '../failures.js';
import { readSecretFrom } from '../secret-input.js';
import { addChangeCommand, type Change, type ChangeOptions } from './change-command.js';
import { atVersion, viewOf } from './account-views.js';

interface PutOptions extends ChangeOptions {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
}

type ListOptions = Pick<AccountListing, 'status' | 'email' | 'pageToken'>;

const STATUS_CHANGES = [
  { name: 'suspend', description: 'stop every key of its owner and end the sessions' },
  { name: 'reactivate', description: 'bring back a suspended or deleted account, and its keys' },
  { name: 'delete', description: 'as suspend, for good as far as anyone sees; the record stays' },
] as const;

export function addAccountCommands(program: Command, databases: Databases): void {
  const account = program.command('account').description('accounts, as the platform keeps them with AccountService');
  const about = (name: string, description: string) => account.command(name).argument('<id>').description(description);
  const put = about('put', 'open an account, or replace what is known of it; its status stays, an absent password too')
    .requiredOption('--email <address>')
    .requiredOption('--display-name <name>')
    .requiredOption('--permissions <list>', "such as 'systems:read systems:write'; '' for none")
    .option('--password-from <file>', 'file with the password, - for stdin')
    .option('--password-hash-from <file>', 'file with its argon2id or bcrypt hash, - for stdin')
    .addOption(atVersion())
    .addOption(byOption());
  answering(put, (id: string, options: PutOptions) => putAccount(databases, id, options));
  answering(about('show', 'what is known of an account'), async (id: string) => {
    requireFields({ id: accountIdProblem(id) });
    return describe(await onDatabase(databases, ({ getAccount }) => getAccount.execute(id)));
  });
  const list = account
    .command('list')
    .description(`accounts in the order of their ids, ${MAX_ACCOUNTS_PAGE} a page; purged ones are none`)
    .addOption(new Option('--status <status>').choices(ACCOUNT_STATUSES))
    .option('--email <address>', 'the one that has it, in any case')
    .option('--page-token <token>', 'goes on where the page before ended');
  answering(list, (options: ListOptions) => listAccounts(databases, options));
  for (const { name, description } of STATUS_CHANGES) {
    const work: Change<Account> = ({ changeStatus }, id, version, admin) => changeStatus[name](id, version, admin);
    addChangeCommand(account, databases, { name, description, work }, describe);
  }
  addChangeCommand(
    account,
    databases,
    {
      name: 'purge',
      description: 'revoke all its keys and forget the person; there is no way back, and its email is free',
      work: ({ purgeAccount }, id, version, admin) => purgeAccount.execute(id, version, admin),
    },
    (revokedKeys, id) => ({ document: { id, revokedKeys }, text: `purged ${id}, keys revoked: ${revokedKeys}` }),
  );
}

async function putAccount(databases: Databases, id: string, options: PutOptions): Promise<Answer> {
  const { email, displayName, passwordFrom, passwordHashFrom, atVersion: version, by } = options;
  const admin = administrator(by);
  if (passwordFrom !== undefined && passwordHashFrom !== undefined) {
    throw new UsageError('--password-from and --password-hash-from exclude each other');
  }
  const permissions = options.permissions.split(/[\s,]+/).filter((permission) => permission !== '');
  const password = passwordFrom && (await readSecretFrom(passwordFrom, '--password-from'));
  const passwordHash = passwordHashFrom && (await readSecretFrom(passwordHashFrom, '--password-hash-from'));
  const command = { id, email, displayName, permissions, password, passwordHash, version };
  return describe(await onDatabase(databases, ({ putAccount: put }) => put.execute(command, admin)));
}

function describe(account: Account): Answer {
  const document = viewOf(account);
  const { permissions, hasPassword } = document;
  const rows = Object.entries({
    ...document,
    permissions: permissions.join(' '),
    hasPassword: hasPassword ? 'yes' : 'no',
  });
  return { document, text: rows.map(([name, value]) => `${name.padEnd(12)} ${value}`.trimEnd()).join('\n') };
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
