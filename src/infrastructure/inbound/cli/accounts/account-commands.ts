import type { Command } from 'commander';
import { accountIdProblem, type Account } from '../../../../domain/accounts/account.js';
import type { Administrator } from '../../../../domain/audit/audit-event.js';
import { requireFields } from '../../../../domain/errors.js';
import { addListCommand } from './account-list.js';
import { addPurgeCommand } from './account-purge.js';
import { atVersion, viewOf } from './account-views.js';
import type { Administration, Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { UsageError } from '../failures.js';
import { readSecretFrom } from '../secret-input.js';

interface ChangeOptions {
  readonly atVersion?: bigint;
  readonly by?: string;
}

interface PutOptions extends ChangeOptions {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
}

type Change = (
  administration: Administration,
  id: string,
  version: bigint | undefined,
  admin: Administrator,
) => Promise<Account>;

export function addAccountCommands(program: Command, databases: Databases): void {
  const account = program.command('account').description('accounts, as the platform keeps them with AccountService');
  const about = (name: string, description: string) => account.command(name).argument('<id>').description(description);
  const change = (name: string, description: string, work: Change) =>
    answering(
      about(name, description).addOption(atVersion()).addOption(byOption()),
      async (id: string, { atVersion: at, by }: ChangeOptions) => {
        const admin = administrator(by);
        requireFields({ id: accountIdProblem(id) });
        return describe(await onDatabase(databases, (administration) => work(administration, id, at, admin)));
      },
    );

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
  change('suspend', 'stop every key of its owner and end the sessions', ({ changeStatus }, id, version, admin) =>
    changeStatus.suspend(id, version, admin),
  );
  change(
    'reactivate',
    'bring back a suspended or deleted account, and its keys',
    ({ changeStatus }, id, version, admin) => changeStatus.reactivate(id, version, admin),
  );
  change(
    'delete',
    'as suspend, for good as far as anyone sees; the record stays',
    ({ changeStatus }, id, version, admin) => changeStatus.delete(id, version, admin),
  );
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
