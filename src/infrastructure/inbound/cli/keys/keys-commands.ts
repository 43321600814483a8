import type { Command } from '@commander-js/extra-typings';
import type { LeakedKey } from '#application/keys/revoke-keys.js';
import type { Actor } from '#domain/audit/audit-event.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import { isKeyId } from '#domain/keys/key-rules.js';
import { inspectKey } from '#domain/keys/key-string.js';
import { type Databases, administrator, byOption, onDatabase, readSettings } from '../administration.js';
import { type Answer, answering, DONE, NOT_DONE, type OptionsOf, UsageError, wholeNumber } from '../answering.js';
import { confirm, confirmEnd, describeKey, dryRunOption, wouldEnd, yesOption } from '../ending-keys.js';
import { readKey } from '../terminal.js';
import { addImportCommand } from '../imports/import-command.js';
import { KEY_IMPORT } from './import-keys.js';
import { addListCommand } from './list-command.js';
import { addMakingCommands } from './making-commands.js';

export function addKeysCommands(program: Command, databases: Databases): void {
  const keys = program.command('keys').description('list, import, make, pause and revoke the API keys of owners');
  addListCommand(keys, databases);
  addImportCommand(keys, databases, KEY_IMPORT);
  addMakingCommands(keys, databases);
  answering(revokeCommand(keys), (options) => endKeys(databases, options));
  const pause = ofOneKey(keys.command('pause'))
    .description('deny one key for some minutes; it works again by itself')
    .requiredOption('--minutes <n>', '1 to 1440', wholeNumber);
  answering(pause, ({ minutes, ...options }) => setPause(databases, options, minutes));
  const resume = ofOneKey(keys.command('resume')).description('end a pause by an administrator before its time');
  answering(resume, (options) => setPause(databases, options, null));
}

function ofOneKey(command: Command) {
  return command
    .requiredOption('--owner <id>', 'account id')
    .requiredOption('--key <keyId>', 'the id of the key')
    .addOption(byOption());
}

async function setPause(
  databases: Databases,
  { owner, key: keyId, by }: OptionsOf<typeof ofOneKey>,
  minutes: number | null,
): Promise<Answer> {
  requireFields({ owner: accountIdProblem(owner), key: keyIdProblem(keyId.toLowerCase()) });
  const { key, now } = await onDatabase(databases, ({ pauseKey }) =>
    pauseKey.execute(owner, keyId.toLowerCase(), minutes, administrator(by)),
  );
  const until = key.pausedUntil(now)?.toISOString() ?? null;
  return {
    document: { ownerId: owner, id: key.id, prefix: key.shown, pausedUntil: until },
    text: until ? `${describeKey(key)} is paused until ${until}` : `${describeKey(key)} is not paused any more`,
  };
}

const keyIdProblem = (keyId: string) =>
  isKeyId(keyId) ? undefined : "must be the key's id, as `latchkey keys list` shows it";

function revokeCommand(keys: Command) {
  return keys
    .command('revoke')
    .description('revoke for good: one key, all keys of an owner, or leaked keys')
    .option('--owner <id>', 'account id; with --key or --all')
    .option('--key <keyId>', 'the id of the key to revoke')
    .option('--all', 'revoke every active key of the owner')
    .option('--leaked', 'revoke every key whose key string is in the text on stdin, such as a log line')
    .addOption(byOption())
    .addOption(yesOption())
    .addOption(dryRunOption());
}

type RevokeOptions = OptionsOf<typeof revokeCommand>;

async function endKeys(databases: Databases, options: RevokeOptions): Promise<Answer> {
  const { owner, key, all, leaked, by, yes, dryRun } = options;
  const admin = administrator(by);
  if (leaked && owner === undefined && key === undefined && !all) {
    return revokeAllLeaked(databases, admin, options);
  }
  if (leaked || owner === undefined || (key === undefined) === !all) {
    throw new UsageError('give --owner with --key or --all, or --leaked alone');
  }
  const keyId = key?.toLowerCase();
  requireFields({
    owner: accountIdProblem(owner),
    key: keyId === undefined ? undefined : keyIdProblem(keyId),
  });
  const revoked = await onDatabase(databases, async ({ revokeKeys, rehearsal, shownKeys }) => {
    if (!dryRun) await confirmEnd({ shownKeys }, yes, { owner, keyId });
    const revoke = dryRun ? rehearsal.revokeKeys : revokeKeys;
    const reason = { actor: admin, reason: 'administrator' } as const;
    return keyId === undefined ? revoke.all(owner, reason) : [await revoke.one(owner, keyId, reason)];
  });
  if (dryRun) return wouldEnd(revoked);
  const lines = revoked.map((each) => `revoked ${describeKey(each)}`);
  return {
    document: { ownerId: owner, revoked: revoked.map((each) => ({ id: each.id, prefix: each.shown })) },
    text: lines.length > 0 ? lines.join('\n') : `nothing to revoke: ${owner} has no active key`,
  };
}

async function revokeAllLeaked(databases: Databases, admin: Actor, { yes, dryRun }: RevokeOptions): Promise<Answer> {
  await confirm(yes || dryRun, 'This revokes every key whose key string is in the text on stdin.');
  const text = await readKey();
  const leaked = await onDatabase(databases, ({ revokeLeaked, rehearsal }) =>
    (dryRun ? rehearsal.revokeKeys : revokeLeaked).leakedIn(text, admin),
  );
  if (leaked.length === 0) {
    const reason = 'no key of this service is in the text on stdin: nothing was revoked';
    return { document: { keys: [] }, text: reason, exitCode: NOT_DONE };
  }
  if (dryRun) return wouldEnd(leaked.filter(({ was }) => was === 'active').map(({ key }) => key));
  const keys = leaked.map(({ key, was }) => {
    const { ownerId, id } = key;
    return { ownerId, id, prefix: key.shown, was, isRevokedNow: was === 'active' };
  });
  return { document: { keys }, text: leaked.map(describeLeaked).join('\n') };
}

function describeLeaked({ key, was }: LeakedKey): string {
  const whose = `${describeKey(key)} of ${key.ownerId}`;
  return was === 'active' ? `revoked ${whose}` : `already ${was}: ${whose}`;
}

export function addKeyCommand(program: Command): void {
  const key = program.command('key').description('check a key string, without a database');
  const inspect = key
    .command('inspect')
    .description(
      'say whether the key string on stdin is well-formed, and whether it begins with KEY_PREFIX if that is set',
    );
  answering(inspect, async () =>
    describe(
      await readKey(),
      readSettings((settings) => settings.text('KEY_PREFIX')),
    ),
  );
}

/** Prints no character of the secret, or of a text that only looks like a key. */
function describe(text: string, expected: string | undefined): Answer {
  const found = inspectKey(text);
  if (!found) {
    const problem = 'not a key: a key is <prefix>_<24 hex characters>.<64 hex characters>';
    return { document: { wellFormed: false, problem }, text: problem, exitCode: NOT_DONE };
  }
  const { prefix, publicPart, keyString } = found;
  const problem = !keyString
    ? 'the checksum is wrong: the key was mistyped, cut or made up'
    : expected !== undefined && expected !== prefix
      ? `the prefix is not ${expected}, the value of KEY_PREFIX`
      : undefined;
  const facts = { prefix, publicPart, checksum: keyString ? 'right' : 'wrong' };
  const lines = Object.entries({ ...facts, wellFormed: problem === undefined ? 'yes' : `no: ${problem}` });
  return {
    document: { wellFormed: problem === undefined, ...(problem === undefined ? {} : { problem }), ...facts },
    text: lines.map(([name, value]) => `${name.padEnd(10)} ${value}`).join('\n'),
    exitCode: problem === undefined ? DONE : NOT_DONE,
  };
}
