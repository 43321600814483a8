import { type Command, Option } from 'commander';
import { ACCOUNT_KINDS, type AccountKind } from '../../../../domain/accounts/account-profile.js';
import type { Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { UsageError } from '../failures.js';
import { readSecretFrom } from '../secret-input.js';
import { atVersion, describe } from './account-answers.js';

interface PutOptions {
  readonly kind?: AccountKind;
  readonly manager?: readonly string[];
  readonly email?: string;
  readonly displayName: string;
  readonly permissions: string;
  readonly passwordFrom?: string;
  readonly passwordHashFrom?: string;
  readonly atVersion?: bigint;
  readonly by?: string;
}

export function addPutCommand(account: Command, databases: Databases): void {
  const put = account
    .command('put')
    .argument('<id>')
    .description(
      'create an account, or replace its fields; the status stays, and the password and managers unless you give new ones',
    )
    .addOption(
      new Option('--kind <kind>', 'of a new account (default: person); it never changes').choices(ACCOUNT_KINDS),
    )
    .option('--email <address>', 'required, except for a service account')
    .requiredOption('--display-name <name>')
    .requiredOption('--permissions <list>', "such as 'systems:read systems:write'; '' for none")
    .option('--manager <id>', 'of a service account: a person who works with its keys; repeat it for more', collect)
    .option('--password-from <file>', 'file with the password, - for stdin')
    .option('--password-hash-from <file>', 'file with the argon2id or bcrypt hash of the password, - for stdin')
    .addOption(atVersion())
    .addOption(byOption());
  answering(put, (id: string, options: PutOptions) => putAccount(databases, id, options));
}

async function putAccount(databases: Databases, id: string, options: PutOptions): Promise<Answer> {
  const { kind, manager: managers, displayName, passwordFrom, passwordHashFrom, atVersion: version, by } = options;
  const admin = administrator(by);
  if (passwordFrom !== undefined && passwordHashFrom !== undefined) {
    throw new UsageError('--password-from and --password-hash-from exclude each other');
  }
  const email = options.email ?? (kind === 'service' ? '' : undefined);
  if (email === undefined) {
    throw new UsageError('give --email, or --kind service: only a service account may have no email');
  }
  const permissions = options.permissions.split(/[\s,]+/).filter((permission) => permission !== '');
  const password = passwordFrom && (await readSecretFrom(passwordFrom, '--password-from'));
  const passwordHash = passwordHashFrom && (await readSecretFrom(passwordHashFrom, '--password-hash-from'));
  const profile = { kind, managers, email, displayName, permissions, version };
  const command = { id, ...profile, password, passwordHash };
  return describe(await onDatabase(databases, ({ putAccount: put }) => put.execute(command, admin)));
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
