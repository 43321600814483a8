import { closeSync, fsyncSync, unlinkSync, writeSync } from 'node:fs';
import { type Command, Option } from '@commander-js/extra-typings';
import { ALL_SERVICE_ACCOUNTS, type Issuer, type KeysFromCode } from '#application/keys/keys-from-code.js';
import type { CreatedApiKey } from '#application/keys/make-api-keys.js';
import { ACCESS_LEVELS } from '#domain/accounts/access-level.js';
import { LatchkeyError } from '#domain/errors.js';
import { type Databases, administrator, byOption, onDatabase } from '../administration.js';
import { NotDone, type OptionsOf, UsageError, wholeNumber, wordsIn } from '../answering.js';
import { describeKey } from '../ending-keys.js';
import { openNewFile } from '../terminal.js';

/** They print no JSON: standard output has the key string and nothing else. */
export function addMakingCommands(keys: Command, databases: Databases): void {
  const create = withMakingOptions(keys.command('create'))
    .description('make a key of a service account, and print only the key on stdout')
    .requiredOption('--owner <id>', 'the id of a service account')
    .requiredOption('--name <name>')
    .addOption(new Option('--access <level>').choices(ACCESS_LEVELS).makeOptionMandatory())
    .requiredOption('--permissions <list>', "such as 'systems:read'; '*' for all that the account has")
    .option('--allowed-networks <list>', 'CIDR ranges that requests must come from (default: any address)')
    .option('--note <text>');
  create.action((options) => {
    const { owner: accountId, name, access, note, expiresInDays = 0, idempotencyKey = '' } = options;
    const lists = { permissions: wordsIn(options.permissions), allowedNetworks: wordsIn(options.allowedNetworks) };
    // An empty variable must not widen a key.
    if (options.allowedNetworks !== undefined && lists.allowedNetworks.length === 0)
      throw new UsageError('--allowed-networks must name a network: leave it out for any address');
    const order = { accountId, name, access, note, expiresInDays, idempotencyKey, ...lists };
    return makeKey(databases, options, (fromCode, issuer) => fromCode.create(order, issuer));
  });
  const rotate = withMakingOptions(keys.command('rotate'))
    .description("make the successor of a service account's key, and print only its key on stdout")
    .requiredOption('--key <keyId>', 'the id of the key to replace')
    .option(
      '--grace-seconds <n>',
      'how long it keeps working after the first use of its successor (default: a day)',
      wholeNumber,
    );
  rotate.action((options) => {
    const { key: keyId, graceSeconds, expiresInDays, idempotencyKey = '' } = options;
    const order = { keyId, graceSeconds, expiresInDays, idempotencyKey };
    return makeKey(databases, options, (fromCode, issuer) => fromCode.rotate(order, issuer));
  });
}

function withMakingOptions(command: Command) {
  return command
    .option('--expires-in-days <n>', 'days that the key works', wholeNumber)
    .option('--idempotency-key <text>', 'a repeat with the same text makes no second key')
    .option('--output <file>', 'write the key to a new file that only you can read, instead of stdout')
    .addOption(byOption());
}

type MakingOptions = OptionsOf<typeof withMakingOptions>;
type Make = (keys: KeysFromCode, issuer: Issuer) => Promise<CreatedApiKey>;

/** The file is opened first, so that no key is made that could not be stored. */
async function makeKey(databases: Databases, { output, by }: MakingOptions, make: Make): Promise<void> {
  const issuer = { actor: administrator(by), scope: ALL_SERVICE_ACCOUNTS };
  const file = output === undefined ? undefined : openNewFile(output, '--output');
  let made: CreatedApiKey;
  try {
    made = await onDatabase(databases, ({ keysFromCode }) => make(keysFromCode, issuer));
  } catch (error) {
    if (file !== undefined) unlinkSync(output!);
    const earlier = error instanceof LatchkeyError ? error.details.apiKeyId : undefined;
    if (earlier !== undefined) process.stderr.write(`the key that was made before is ${earlier}\n`);
    throw error;
  }
  process.stderr.write(`made ${describeKey(made.key)} of ${made.key.ownerId}\n`);
  if (file === undefined) {
    // Written at once: after an error on stdout the process exits.
    process.stdout.write(`${made.fullKey}\n`, (error) => {
      if (error) process.stderr.write(`latchkey: ${lost('stdout', error, made)}\n`);
    });
    return;
  }
  try {
    writeSync(file, `${made.fullKey}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    throw new NotDone(lost('--output', error as NodeJS.ErrnoException, made), { cause: error });
  }
}

function lost(where: string, { code }: NodeJS.ErrnoException, { key }: CreatedApiKey): string {
  return `the key could not be written to ${where} (${code}): revoke ${key.id}`;
}
