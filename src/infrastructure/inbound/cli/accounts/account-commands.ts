import type { Command } from 'commander';
import { accountIdProblem, type Account } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import { addListCommand } from './account-list.js';
import { addPurgeCommand } from './account-purge.js';
import { addChangeCommand, type Change, type ChangeOptions } from './change-command.js';
import { atVersion, viewOf } from './account-views.js';
import type { Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { UsageError } from '../failures.js';
import { readSecretFrom } from '../secret-input.js';

interface PutOptions extends ChangeOptions {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
}

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
  addListCommand(account, databases);
  for (const { name, description } of STATUS_CHANGES) {
    const work: Change<Account> = ({ changeStatus }, id, version, admin) => changeStatus[name](id, version, admin);
    addChangeCommand(account, databases, { name, description, work }, describe);
  }
  addPurgeCommand(account, databases);
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
