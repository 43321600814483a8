import type { Command } from 'commander';
import { accountIdProblem, type Account } from '../../../domain/accounts/account.js';
import { requireFields } from '../../../domain/errors.js';
import type { Administration, Databases } from './administration.js';
import { answering, type Answer } from './answering.js';
import { onDatabase } from './environment.js';
import { UsageError } from './failures.js';
import { readSecretFrom } from './secret-input.js';

interface PutOptions {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
}

type Change = (administration: Administration, id: string) => Promise<Account>;

export function addAccountCommands(program: Command, databases: Databases): void {
  const account = program.command('account').description('accounts, as the platform keeps them with AccountService');
  const simple = (name: string, description: string, change: Change) =>
    answering(account.command(name).argument('<id>').description(description), async (id: string) => {
      requireFields({ id: accountIdProblem(id) });
      return describe(await onDatabase(databases, (administration) => change(administration, id)));
    });

  const put = account
    .command('put')
    .argument('<id>')
    .description('open an account, or replace what is known of it; its status stays, an absent password too')
    .requiredOption('--email <address>')
    .requiredOption('--display-name <name>')
    .requiredOption('--permissions <list>', "such as 'systems:read systems:write'; '' for none")
    .option('--password-from <file>', 'file with the password, - for stdin')
    .option('--password-hash-from <file>', 'file with its argon2id or bcrypt hash, - for stdin');
  answering(put, (id: string, options: PutOptions) => putAccount(databases, id, options));
  simple('show', 'what is known of an account', ({ getAccount }, id) => getAccount.execute(id));
  simple('suspend', 'stop every key of its owner and end the sessions', ({ changeStatus }, id) =>
    changeStatus.suspend(id),
  );
  simple('reactivate', 'bring back a suspended or deleted account, and its keys', ({ changeStatus }, id) =>
    changeStatus.reactivate(id),
  );
  simple('delete', 'as suspend, for good as far as anyone sees; the record stays', ({ changeStatus }, id) =>
    changeStatus.delete(id),
  );
}

async function putAccount(databases: Databases, id: string, options: PutOptions): Promise<Answer> {
  const { email, displayName, passwordFrom, passwordHashFrom } = options;
  if (passwordFrom !== undefined && passwordHashFrom !== undefined) {
    throw new UsageError('--password-from and --password-hash-from exclude each other');
  }
  const permissions = options.permissions.split(/[\s,]+/).filter((permission) => permission !== '');
  const password = passwordFrom && (await readSecretFrom(passwordFrom, '--password-from'));
  const passwordHash = passwordHashFrom && (await readSecretFrom(passwordHashFrom, '--password-hash-from'));
  const command = { id, email, displayName, permissions, password, passwordHash };
  return describe(await onDatabase(databases, ({ putAccount: put }) => put.execute(command)));
}

/** Field by field: never the hash. */
function describe({ id, email, displayName, permissions, status, version, passwordHash }: Account): Answer {
  const hasPassword = passwordHash !== null;
  const document = { id, email, displayName, permissions, status, version: String(version), hasPassword };
  const rows = Object.entries({
    ...document,
    permissions: permissions.join(' '),
    hasPassword: hasPassword ? 'yes' : 'no',
  });
  return { document, text: rows.map(([name, value]) => `${name.padEnd(12)} ${value}`.trimEnd()).join('\n') };
}
