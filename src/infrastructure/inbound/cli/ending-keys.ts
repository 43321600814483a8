import { Option } from '@commander-js/extra-typings';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { Administration } from './administration.js';
import { type Answer, UsageError } from './answering.js';
import { ask } from './terminal.js';

/** More keys than an owner can have active. */
const MAX_SHOWN = 50;

export function yesOption() {
  return new Option('--yes', 'do not ask; required where there is no terminal to ask on');
}

export function dryRunOption() {
  return new Option('--dry-run', 'only print which keys would end: nothing is asked and nothing is changed');
}

/** The answer of a dry run. `keys` are those that the command would end. */
export function wouldEnd(keys: readonly ApiKey[], verb: 'revoke' | 'stop' = 'revoke'): Answer {
  const lines = keys.map((key) => `would ${verb} ${describeKey(key)} of ${key.ownerId}`);
  return {
    document: { dryRun: true, keys: keys.map((key) => ({ ownerId: key.ownerId, id: key.id, prefix: key.shown })) },
    text: lines.length > 0 ? lines.join('\n') : `would ${verb} no key`,
  };
}

/**
 * Asks the person at the terminal before a change that can't be undone.
 * @param yes the option `--yes`
 * @param consequence what the command will end: a sentence, and a line for each key
 * @throws {UsageError} the person did not answer yes, or there is no terminal and no `--yes`
 * @throws {Interrupted}
 */
export async function confirm(yes: boolean | undefined, consequence: string): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new UsageError(`${consequence.split('\n', 1)[0]} This can't be undone: repeat the command with --yes`);
  }
  const answer = await ask(`${consequence}\nThis can't be undone. Type yes to continue: `);
  if (answer?.trim().toLowerCase() !== 'yes') throw new UsageError('nothing was changed');
}

/**
 * Asks before the keys of an owner end, and shows them. Nothing is asked with `--yes`.
 * @param keyId undefined: all keys
 * @param first what else the command does
 */
export async function confirmEnd(
  { shownKeys }: Pick<Administration, 'shownKeys'>,
  yes: boolean | undefined,
  { owner, keyId, first = '' }: { owner: string; keyId?: string | undefined; first?: string },
): Promise<void> {
  if (yes) return;
  const { items } = await shownKeys.ofOwner(owner, 'active', { limit: MAX_SHOWN });
  const ending = items.filter(({ key }) => keyId === undefined || key.id === keyId);
  const count = ending.length === 1 ? '1 active key' : `${ending.length} active keys`;
  const sentence = `${first}This revokes ${count} of ${owner}.`;
  await confirm(yes, [sentence, ...ending.map(({ key }) => `  ${describeKey(key)}`)].join('\n'));
}

export function describeKey(key: ApiKey): string {
  return `${key.id} (${key.shown}, ${JSON.stringify(key.snapshot().name)})`;
}
