import { createReadStream, fstatSync, openSync } from 'node:fs';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Administrator } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Administration, Databases } from '../administration.js';
import { type Answer, answering, UsageError } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { ProgressBar } from '../terminal.js';
import {
  exampleFile,
  type FileColumns,
  type FileLine,
  IMPORT_FORMATS,
  type ImportFormat,
  readImport,
} from './import-file.js';
import { ImportReport, type LineOutcome } from './import-report.js';

export interface Importable<Line, Became extends string> {
  readonly description: string;
  readonly columns: FileColumns;
  /** A row of a file to start from. */
  example(now: Date): Readonly<Record<string, string | readonly string[]>>;
  /** Throws `invalid_fields`. */
  lineIn(fields: Readonly<Record<string, unknown>>): Line;
  /** What may become of a line that is not refused, and how the report says it. */
  readonly outcomes: Readonly<Record<Became, string>>;
  /** Whether the report lists the owners above their limit of keys. */
  readonly namesOwners?: boolean;
  /** Throws when the import can't begin. */
  requireSettings?(): void;
  /** How many lines one call of the importer takes. */
  readonly atOnce: number;
  /** Whether the line waits until all others are imported. */
  isLast?(line: Line): boolean;
  /** What may stand in only one line, by field. The first of two such lines is imported. */
  uniqueIn?(line: Line): Readonly<Record<string, string>>;
  importer(
    administration: Pick<Administration, 'putAccount' | 'importKeys'>,
    isDryRun: boolean,
  ): Importer<Line, Became>;
}

/** Returns the outcome of each line, in their order. */
export type Importer<Line, Became extends string> = (
  lines: readonly Line[],
  admin: Administrator,
) => Promise<readonly LineOutcome<Became>[]>;

export function addImportCommand<Line, Became extends string>(
  parent: Command,
  databases: Databases,
  importable: Importable<Line, Became>,
): void {
  const command = parent
    .command('import')
    .argument('[file]', 'CSV or JSON Lines; - is stdin')
    .description(importable.description)
    .addOption(new Option('--format <format>', 'default: by the extension, .csv or .jsonl').choices(IMPORT_FORMATS))
    .option(
      '--refused <file>',
      'write the refused lines with their reasons to a new file, to be corrected and imported again',
    )
    .option('--example', 'print a file with one line, to start from')
    .addOption(byOption())
    .option('--dry-run', 'print what would be imported and refused: nothing is changed');
  answering(command, async (file, options) => {
    const format = options.format ?? IMPORT_FORMATS.find((each) => file?.endsWith(`.${each}`));
    if (options.example) return exampleAnswer(importable, format ?? 'csv');
    if (file === undefined) throw new UsageError('give a file, or --example');
    if (!format)
      throw new UsageError(`give --format, because the name does not end in .${IMPORT_FORMATS.join(' or .')}`);
    importable.requireSettings?.();
    const admin = administrator(options.by);
    const source = openSource(file);
    const report = new ImportReport(importable.outcomes, options.refused, importable.namesOwners === true);
    const importing = { importable, report, admin, isDryRun: options.dryRun === true };
    try {
      // Unlimited: a batch writes many rows, and waits for other changes of the same accounts.
      await onDatabase(databases, (really) => importFile(really, { ...importing, source, format }), true);
    } finally {
      report.close();
    }
    return report.answer(importing.isDryRun);
  });
}

function exampleAnswer(
  { columns, example }: Pick<Importable<unknown, string>, 'columns' | 'example'>,
  format: ImportFormat,
): Answer {
  const row = example(new Date());
  return { document: row, text: exampleFile(row, columns, format) };
}

interface Source {
  readonly bytes: AsyncIterable<Buffer>;
  /** 0 to 1. Always 0 where the length is unknown. */
  fractionRead(): number;
}

function openSource(file: string): Source {
  if (file === '-') return { bytes: process.stdin, fractionRead: () => 0 };
  try {
    const fd = openSync(file, 'r');
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new Error('it is a folder');
    const bytes = createReadStream(file, { fd });
    return { bytes, fractionRead: () => (stats.size > 0 ? bytes.bytesRead / stats.size : 0) };
  } catch (error) {
    throw new UsageError(`can't read the file: ${(error as Error).message}`);
  }
}

interface Importing<Line, Became extends string> {
  readonly importable: Importable<Line, Became>;
  readonly report: ImportReport<Became>;
  readonly admin: Administrator;
  readonly isDryRun: boolean;
  readonly source: Source;
  readonly format: ImportFormat;
}

interface ReadLine<Line> {
  readonly sent: FileLine;
  readonly line: Line;
}

async function importFile<Line, Became extends string>(
  administration: Administration,
  { importable, report, admin, isDryRun, source, format }: Importing<Line, Became>,
): Promise<void> {
  const { columns, atOnce, isLast } = importable;
  const importer = importable.importer(isDryRun ? administration.rehearsal : administration, isDryRun);
  const read = reader(importable, report);
  const bar = new ProgressBar('lines');
  const importBatch = async (batch: readonly ReadLine<Line>[]) => {
    const outcomes = await importer(
      batch.map(({ line }) => line),
      admin,
    );
    batch.forEach(({ sent }, index) => report.add(sent, outcomes[index]!));
    bar.show(report.lines, source.fractionRead());
  };
  const last: ReadLine<Line>[] = [];
  try {
    for await (const lines of readImport(source.bytes, { format, atOnce, columns })) {
      const good = lines.flatMap(read);
      last.push(...good.filter(({ line }) => isLast?.(line)));
      await importBatch(good.filter(({ line }) => !isLast?.(line)));
    }
    while (last.length > 0) await importBatch(last.splice(0, atOnce));
  } finally {
    bar.clear();
  }
}

/** Returns the line, or reports that it is refused and returns none. */
function reader<Line, Became extends string>(
  { lineIn, uniqueIn }: Importable<Line, Became>,
  report: ImportReport<Became>,
): (sent: FileLine) => ReadLine<Line>[] {
  /** The number of the line with each value. */
  const seen = new Map<string, number>();
  return (sent) => {
    if ('problem' in sent) return refuse(sent, sent.problem);
    try {
      const line = lineIn(sent.fields);
      const values = Object.entries(uniqueIn?.(line) ?? {}).filter(([, value]) => value !== '');
      for (const [field, value] of values) {
        const before = seen.get(`${field} ${value}`);
        if (before !== undefined) return refuse(sent, `${field} stands in line ${before} already`);
      }
      for (const [field, value] of values) seen.set(`${field} ${value}`, sent.number);
      return [{ sent, line }];
    } catch (error) {
      if (error instanceof LatchkeyError) return refuse(sent, error.message);
      throw error;
    }
  };

  function refuse(sent: FileLine, why: string): [] {
    report.refuse(sent, why);
    return [];
  }
}
