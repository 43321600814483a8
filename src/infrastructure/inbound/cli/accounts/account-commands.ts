import { type Command, Option } from 'commander';
import { ACCOUNT_STATUSES } from '../../../../domain/accounts/account.js';
import { accountIdProblem } from '../../../../domain/accounts/account-profile.js';
import type { Administrator } from '../../../../domain/audit/audit-event.js';
import { requireFields } from '../../../../domain/errors.js';
import { type AccountListing, MAX_ACCOUNTS_PAGE } from '../../../../application/accounts/list-accounts.js';
import type { Administration, Databases } from '../administration.js';
import { answering, type Answer, table } from '../answering.js';
import { atVersion, describe, viewOf } from './account-answers.js';
import { addEntitlementCommands } from './entitlement-commands.js';
import { confirmEnd, yesOption } from '../ending-keys.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { UsageError } from '../failures.js';
import { readSecretFrom } from '../secret-input.js';

interface ChangeOptions {
  readonly atVersion?: bigint;
  readonly by?: string;
  /** Of `purge`. */
  readonly yes?: boolean;
}

interface PutOptions extends ChangeOptions {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
}

type ListOptions = Pick<AccountListing, 'status' | 'email' | 'pageToken'>;

/** A change of one account. Without --at-version, `version` is undefined. */
type Change = (
  administration: Administration,
  id: string,
  version: bigint | undefined,
  admin: Administrator,
  yes: boolean | undefined,
) => Promise<Answer>;

const STATUS_CHANGES = [
  { name: 'suspend', description: "stop all of the owner's keys and end the owner's sessions" },
  { name: 'reactivate', description: 'make a suspended or deleted account active again; its keys work again' },
  {
    name: 'delete',
    description: 'stop all keys and sessions, with the status deleted; the data stays, and the email stays taken',
  },
] as const;

export function addAccountCommands(program: Command, databases: Databases): void {
  const account = program.command('account').description("manage the platform's accounts, as AccountService does");
  const onOne = (name: string, description: string) => account.command(name).argument('<id>').description(description);
  const addChange = (name: string, description: string, change: Change) => {
    const command = onOne(name, description).addOption(atVersion()).addOption(byOption());
    return answering(command, async (id: string, { atVersion: version, by, yes }: ChangeOptions) => {
      const admin = administrator(by);
      requireFields({ id: accountIdProblem(id) });
      return onDatabase(databases, (administration) => change(administration, id, version, admin, yes));
    });
  };

  const put = onOne(
    'put',
    'create an account, or replace its fields; the status stays, and the password unless you give a new one',
  )
    .requiredOption('--email <address>')
    .requiredOption('--display-name <name>')
    .requiredOption('--permissions <list>', "such as 'systems:read systems:write'; '' for none")
    .option('--password-from <file>', 'file with the password, - for stdin')
    .option('--password-hash-from <file>', 'file with the argon2id or bcrypt hash of the password, - for stdin')
    .addOption(atVersion())
    .addOption(byOption());
  answering(put, (id: string, options: PutOptions) => putAccount(databases, id, options));
  answering(onOne('show', 'show an account'), async (id: string) => {
    requireFields({ id: accountIdProblem(id) });
    return describe(await onDatabase(databases, ({ getAccount }) => getAccount.execute(id)));
  });
  const list = account
    .command('list')
    .description(`list accounts by id, ${MAX_ACCOUNTS_PAGE} a page; purged accounts are not listed`)
    .addOption(new Option('--status <status>', 'only accounts with this status').choices(ACCOUNT_STATUSES))
    .option('--email <address>', 'only the account with this email; case does not matter')
    .option('--page-token <token>', 'continue after the page that printed this token');
  answering(list, (options: ListOptions) => listAccounts(databases, options));
  for (const { name, description } of STATUS_CHANGES) {
    addChange(name, description, async ({ changeStatus }, id, version, admin) =>
      describe(await changeStatus[name](id, version, admin)),
    );
  }
  addChange(
    'purge',
    'revoke all keys for good and delete the personal data; the email can be used again',
    async ({ purgeAccount, listKeys }, id, version, admin, yes) => {
      const first = `This deletes the personal data of ${id}. `;
      await confirmEnd({ yes, owner: id, first }, { listKeys });
      const revokedKeys = await purgeAccount.execute(id, version, admin);
      return { document: { id, revokedKeys }, text: `purged ${id}, keys revoked: ${revokedKeys}` };
    },
  ).addOption(yesOption());
  addEntitlementCommands(account, databases);
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
