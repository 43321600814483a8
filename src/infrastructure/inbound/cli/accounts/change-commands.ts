import { type Command, Option } from '@commander-js/extra-typings';
import { ACCOUNT_KINDS } from '#domain/accounts/account-profile.js';
import type { Account } from '#domain/accounts/account.js';
import { type Attribute, attributesByName, type EveryLimit } from '#domain/accounts/entitlements.js';
import { ACCESS_LEVELS } from '#domain/accounts/access-level.js';
import {
  type Administration,
  type Databases,
  administrator,
  byOption,
  onAccount,
  onDatabase,
} from '../administration.js';
import { type Answer, answering, type OptionsOf, UsageError, wholeNumber, wordsIn } from '../answering.js';
import { readSecretFrom } from '../terminal.js';
import { atVersion, describe, inLines } from './account-answers.js';

export function addPutCommand(account: Command, databases: Databases): void {
  answering(putCommand(account), (id, options) => putAccount(databases, id, options));
}

function putCommand(account: Command) {
  return account
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
    .option(
      '--manager <id>',
      'of a service account: a person who works with its keys; repeat it for more',
      (value, before: readonly string[] = []) => [...before, value],
    )
    .option('--password-from <file>', 'file with the password, - for stdin')
    .option('--password-hash-from <file>', 'file with the argon2id or bcrypt hash of the password, - for stdin')
    .addOption(atVersion())
    .addOption(byOption());
}

async function putAccount(databases: Databases, id: string, options: OptionsOf<typeof putCommand>): Promise<Answer> {
  const { kind, manager: managers, displayName, passwordFrom, passwordHashFrom, atVersion: version, by } = options;
  const admin = administrator(by);
  if (passwordFrom !== undefined && passwordHashFrom !== undefined) {
    throw new UsageError('--password-from and --password-hash-from exclude each other');
  }
  const email = options.email ?? (kind === 'service' ? '' : undefined);
  if (email === undefined) {
    throw new UsageError('give --email, or --kind service: only a service account may have no email');
  }
  const permissions = wordsIn(options.permissions);
  const password = passwordFrom && (await readSecretFrom(passwordFrom, '--password-from'));
  const passwordHash = passwordHashFrom && (await readSecretFrom(passwordHashFrom, '--password-hash-from'));
  const profile = { kind, managers, email, displayName, permissions, version };
  const command = { id, ...profile, password, passwordHash };
  return describe(await onDatabase(databases, ({ putAccount: put }) => put.execute(command, admin)));
}

/** What the platform allows the keys of an account, and what it says of the account. */
export function addEntitlementCommands(account: Command, databases: Databases): void {
  const limits = account
    .command('limits')
    .argument('<id>')
    .description("show what an account's keys may do at most, or change it; limits that you don't give stay")
    .option('--requests-per-second <number>', 'of each key in the long run', wholeNumber)
    .option('--burst <number>', 'how many requests a rested key may send at once', wholeNumber)
    .addOption(new Option('--max-access <level>', 'of every key, at once').choices(ACCESS_LEVELS))
    .option('--max-key-days <number>', 'of new keys, 1 to 365', wholeNumber)
    .option('--max-active-keys <number>', 'for new keys, 1 to 100', wholeNumber)
    .option('--no-new-keys', 'no key can be created, rotated or imported')
    .option('--new-keys', 'keys can be made again')
    .option('--clear', 'remove the stored limits first')
    .addOption(atVersion())
    .addOption(byOption());
  answering(limits, async (id, { clear, atVersion: version, by, ...options }) => {
    const { requestsPerSecond, burst, maxAccess, maxKeyDays, maxActiveKeys, newKeys } = options;
    const noNewKeys = newKeys === undefined ? undefined : !newKeys;
    const every = { requestsPerSecond, burst, maxAccess, maxKeyDays, maxActiveKeys, noNewKeys } satisfies EveryLimit;
    const given = Object.fromEntries(Object.entries(every).filter(([, limit]) => limit !== undefined));
    const admin = administrator(by);
    const isChange = clear || Object.keys(given).length > 0;
    const change = { limits: given, isWhole: clear ?? false, version };
    const work = ({ findAccounts, changeAccount }: Administration) =>
      isChange ? changeAccount.limit(id, change, admin) : findAccounts.byId(id);
    return showLimits(await onAccount(databases, id, work));
  });

  const attributes = account
    .command('attributes')
    .argument('<id>')
    .argument('[name=value...]', 'replace all stored attributes, such as: tenant=acme plan=pro')
    .description('show what the platform says of an account to the services, or replace it')
    .option('--clear', 'remove all attributes')
    .addOption(atVersion())
    .addOption(byOption());
  answering(attributes, async (id, pairs, { clear, atVersion: version, by }) => {
    if (clear && pairs.length > 0) throw new UsageError('give either attributes or --clear');
    const admin = administrator(by);
    const given = pairs.map(attributeIn);
    const work = ({ findAccounts, changeAccount }: Administration) =>
      clear || pairs.length > 0 ? changeAccount.describe(id, given, version, admin) : findAccounts.byId(id);
    return showAttributes(await onAccount(databases, id, work));
  });
}

function attributeIn(pair: string): Attribute {
  const [name, ...value] = pair.split('=');
  if (value.length === 0) throw new UsageError(`an attribute has the form name=value, unlike ${JSON.stringify(pair)}`);
  return { name: name!, value: value.join('=') };
}

function showLimits({ id, limits }: Account): Answer {
  const isLimited = Object.keys(limits).length > 0;
  return { document: { id, limits }, text: isLimited ? inLines(limits) : `${id} has no limits of its own` };
}

function showAttributes({ id, attributes }: Account): Answer {
  const byName = attributesByName(attributes);
  const text = attributes.length > 0 ? inLines(byName) : `${id} has no attributes`;
  return { document: { id, attributes: byName }, text };
}
