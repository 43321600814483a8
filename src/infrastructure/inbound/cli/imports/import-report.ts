import { closeSync, writeSync } from 'node:fs';
import type { LatchkeyError } from '#domain/errors.js';
import { withoutSecrets } from '#domain/secrets.js';
import { inProtoSpelling } from '../../shared/error-table.js';
import { type Answer, DONE, NOT_DONE } from '../answering.js';
import { openNewFile } from '../terminal.js';
import type { SentLine } from './import-file.js';

export type LineOutcome =
  | { readonly became: string; readonly aboveLimit?: OwnerAboveLimit | undefined }
  | { readonly refused: LatchkeyError };

/** An owner who may have fewer keys than this. */
export interface OwnerAboveLimit {
  readonly ownerId: string;
  readonly activeKeys: number;
  readonly maxActiveKeys: number;
}

const MAX_SHOWN = 20;
const STILL = 'these keys work and can be rotated, but the owner can make no others';

/** Counts what became of each line, and writes the refused ones to a file. */
export class ImportReport {
  lines = 0;
  private readonly counts = new Map<string, number>();
  private refused = 0;
  private readonly shown: { readonly line: number; readonly reason: string }[] = [];
  private readonly above = new Map<string, OwnerAboveLimit>();
  private readonly file: number | undefined;

  /**
   * @param words for each outcome
   * @param path of a file that does not exist; it is created at once
   * @param namesOwners whether it lists the owners above their limit of keys
   */
  constructor(
    private readonly words: Readonly<Record<string, string>>,
    path: string | undefined,
    private readonly namesOwners: boolean,
  ) {
    this.file = path === undefined ? undefined : openNewFile(path, '--refused');
  }

  add(line: SentLine, outcome: LineOutcome): void {
    if ('refused' in outcome) return this.refuse(line, (inProtoSpelling(outcome.refused) as Error).message);
    const { became, aboveLimit } = outcome;
    if (aboveLimit) this.above.set(aboveLimit.ownerId, aboveLimit);
    this.lines += 1;
    this.counts.set(became, (this.counts.get(became) ?? 0) + 1);
  }

  refuse({ number: line, header, withReason }: SentLine, why: string): undefined {
    // A key string may stand in the wrong column.
    const reason = withoutSecrets(why);
    this.lines += 1;
    this.refused += 1;
    if (this.shown.length < MAX_SHOWN) this.shown.push({ line, reason });
    if (this.refused === 1 && header !== undefined) this.write(header);
    this.write(withReason(`line ${line}: ${reason}`));
  }

  answer(isDryRun: boolean): Answer {
    const { refused, shown } = this;
    const outcomes = Object.entries(this.words);
    const counted = outcomes.map(([became, word]) => [became, this.counts.get(became) ?? 0, word] as const);
    const counts = [...counted.map(([, count, word]) => `${count} ${word}`), `${refused} refused`].join(', ');
    const above = [...this.above.values()];
    const text = [
      isDryRun ? `dry run, nothing was changed: ${counts}` : counts,
      ...shown.map(({ line, reason }) => `line ${line}: ${reason}`),
      ...rest(refused, 'which --refused <file> writes'),
      ...(above.length > 0
        ? [`${above.length} of the owners ${isDryRun ? 'would have' : 'have'} more active keys than allowed: ${STILL}`]
        : []),
      ...above.slice(0, MAX_SHOWN).map((owner) => `${owner.ownerId}: ${owner.activeKeys} of ${owner.maxActiveKeys}`),
      ...rest(above.length, 'which --json prints'),
    ];
    const numbers = Object.fromEntries(counted.map(([became, count]) => [became, count]));
    const owners = this.namesOwners ? { ownersAboveLimit: above } : {};
    return {
      document: { dryRun: isDryRun, ...numbers, refused, refusedLines: shown, ...owners },
      text: text.join('\n'),
      exitCode: refused > 0 ? NOT_DONE : DONE,
    };
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
  }

  private write(line: string): void {
    if (this.file !== undefined) writeSync(this.file, `${line}\n`);
  }
}

/** @param count of which the first ones are shown */
function rest(count: number, where: string): string[] {
  return count > MAX_SHOWN ? [`and ${count - MAX_SHOWN} more, ${where}`] : [];
}
