import { CommanderError } from 'commander';
import { ConfigError } from '../../../config/config.js';
import { LatchkeyError } from '../../../domain/errors.js';
import { inProtoSpelling } from '../shared/proto-spelling.js';
import { withoutSecrets } from '../../../domain/secrets.js';

/** The exit codes, as docs/cli.md lists them. */
export const [DONE, NOT_DONE, USAGE, UNAVAILABLE, INTERRUPTED] = [0, 1, 2, 3, 130];

/** The command line is wrong. */
export class UsageError extends Error {}

/** The person pressed Ctrl+C at a question. */
export class Interrupted extends Error {}

/** The key, account or event does not exist. */
export class NothingThere extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === DONE ? DONE : USAGE;
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof UsageError || error instanceof ConfigError) return USAGE;
  if (error instanceof NothingThere) return NOT_DONE;
  if (!(error instanceof LatchkeyError) || isOutage(error)) return UNAVAILABLE;
  return error.code === 'invalid_fields' ? USAGE : NOT_DONE;
}

/** One line for each problem; empty when the caller only wanted help. */
export function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  // Commander has printed help and version already, and the help after a missing command.
  if (error instanceof CommanderError && (error.exitCode === DONE || error.code === 'commander.help')) return [];
  const { message, cause } = inProtoSpelling(error) as Error;
  const text = isOutage(error) && cause instanceof Error ? `DATABASE_URL: ${cause.message}` : message;
  return [withoutSecrets(text.replace(/^error: /, '')).replace(/\s*\n\s*/g, ' ')];
}

function isOutage(error: unknown): boolean {
  return error instanceof LatchkeyError && (error.code === 'unavailable' || error.code === 'busy');
}
