import { closeSync, openSync, writeSync } from 'node:fs';
import type { ImportOutcome } from '../../../../application/keys/import-keys.js';
import { withoutSecrets } from '../../../../domain/secrets.js';
import { inProtoSpelling } from '../../shared/proto-spelling.js';
import type { Answer } from '../answering.js';
import { DONE, NOT_DONE, UsageError } from '../failures.js';
import type { SentLine } from './import-file.js';

interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

const MOST_SHOWN = 20;
const STILL = 'these keys work and can be rotated, but the owner can make no others';

/** An owner who may have fewer keys than this. */
interface OwnerAboveLimit {
  readonly ownerId: string;
  readonly activeKeys: number;
  readonly maxActiveKeys: number;
}

/** Counts what became of each line, and writes the refused ones to a file. */
export class ImportReport {
  lines = 0;
  private imported = 0;
  private alreadyThere = 0;
  private refused = 0;
  private readonly shown: RefusedLine[] = [];
  private readonly above = new Map<string, OwnerAboveLimit>();
  private readonly file: number | undefined;

  /** @param path of a file that does not exist; it is created at once */
  constructor(path: string | undefined) {
    this.file = path === undefined ? undefined : create(path);
  }

  add(line: SentLine, ownerId: string, outcome: ImportOutcome): void {
    if ('refused' in outcome) return this.refuse(line, (inProtoSpelling(outcome.refused) as Error).message);
    if (outcome.aboveLimit) this.above.set(ownerId, { ownerId, ...outcome.aboveLimit });
    this.lines += 1;
    if (outcome.isNew) this.imported += 1;
    else this.alreadyThere += 1;
  }

  refuse({ number: line, header, withReason }: SentLine, why: string): void {
    // A key string may stand in the wrong column.
    const reason = withoutSecrets(why);
    this.lines += 1;
    this.refused += 1;
    if (this.shown.length < MOST_SHOWN) this.shown.push({ line, reason });
    if (this.refused === 1 && header !== undefined) this.write(header);
    this.write(withReason(`line ${line}: ${reason}`));
  }

  answer(isDryRun: boolean): Answer {
    const { imported, alreadyThere, refused, shown } = this;
    const counts = `${imported} imported, ${alreadyThere} already there, ${refused} refused`;
    const above = [...this.above.values()];
    const text = [
      isDryRun ? `dry run, nothing was changed: ${counts}` : counts,
      ...shown.map(({ line, reason }) => `line ${line}: ${reason}`),
      ...rest(refused, 'which --refused <file> writes'),
      ...(above.length > 0
        ? [`${above.length} of the owners ${isDryRun ? 'would have' : 'have'} more active keys than allowed: ${STILL}`]
        : []),
      ...above.slice(0, MOST_SHOWN).map((owner) => `${owner.ownerId}: ${owner.activeKeys} of ${owner.maxActiveKeys}`),
      ...rest(above.length, 'which --json prints'),
    ];
    return {
      document: { dryRun: isDryRun, imported, alreadyThere, refused, refusedLines: shown, ownersAboveLimit: above },
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
  return count > MOST_SHOWN ? [`and ${count - MOST_SHOWN} more, ${where}`] : [];
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new UsageError(`can't write --refused: ${(error as Error).message}`);
  }
}
