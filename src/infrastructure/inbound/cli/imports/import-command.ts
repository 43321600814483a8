import { createReadStream, fstatSync, openSync } from 'node:fs';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Actor } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import { type Administration, type Databases, administrator, byOption, onDatabase } from '../administration.js';
import { answering, UsageError } from '../answering.js';
import { progressBar } from '../terminal.js';
import {
  exampleFile,
  type FileColumns,
  type FileLine,
  IMPORT_FORMATS,
  type ImportFormat,
  readImport,
} from './import-file.js';
import { ImportReport, type LineOutcome } from './import-report.js';

/** How many lines are imported by one call. */
const LINES_AT_ONCE = 500;

export interface Importable<Line> {
  readonly description: string;
  readonly columns: FileColumns;
  /** A row of a file to start from. */
  example(now: Date): Readonly<Record<string, string | readonly string[]>>;
  /** Throws `invalid_fields`. */
  lineIn(fields: Readonly<Record<string, unknown>>): Line;
  /** What may become of a line that is not refused, and how the report says it. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Whether the report lists the owners above their limit of keys. */
  readonly namesOwners?: boolean;
  /** Throws when the import can't begin. */
  requireSettings?(): void;
  /** What may stand in only one line, by field. The first of two such lines is imported. */
  uniqueIn?(line: Line): Readonly<Record<string, string>>;
  /** What it returns takes some lines and returns the outcome of each, in their order. */
  importer(
    administration: Pick<Administration, 'putAccount' | 'importKeys'>,
  ): (lines: readonly Line[], admin: Actor) => Promise<readonly LineOutcome[]>;
}

export function addImportCommand<Line>(parent: Command, databases: Databases, importable: Importable<Line>): void {
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
    if (options.example) {
      const row = importable.example(new Date());
      return { document: row, text: exampleFile(row, importable.columns, format ?? 'csv') };
    }
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

/** `fractionRead` is from 0 to 1, and always 0 where the length is unknown. */
function openSource(file: string): { bytes: AsyncIterable<Buffer>; fractionRead(): number } {
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

interface Importing<Line> {
  readonly importable: Importable<Line>;
  readonly report: ImportReport;
  readonly admin: Actor;
  readonly isDryRun: boolean;
  readonly source: ReturnType<typeof openSource>;
  readonly format: ImportFormat;
}

async function importFile<Line>(
  administration: Administration,
  { importable, report, admin, isDryRun, source, format }: Importing<Line>,
): Promise<void> {
  const importer = importable.importer(isDryRun ? administration.rehearsal : administration);
  const read = reader(importable, report);
  const bar = progressBar('lines');
  const waiting: { readonly sent: FileLine; readonly line: Line }[] = [];
  const importNext = async () => {
    const batch = waiting.splice(0);
    const outcomes = await importer(
      batch.map(({ line }) => line),
      admin,
    );
    batch.forEach(({ sent }, index) => report.add(sent, outcomes[index]!));
    bar.show(report.lines, source.fractionRead());
  };
  try {
    for await (const sent of readImport(source.bytes, format, importable.columns)) {
      const line = read(sent);
      if (line === undefined) continue;
      waiting.push({ sent, line });
      if (waiting.length === LINES_AT_ONCE) await importNext();
    }
    if (waiting.length > 0) await importNext();
  } finally {
    bar.clear();
  }
}

/** Returns the line, or reports that it is refused. */
function reader<Line>({ lineIn, uniqueIn }: Importable<Line>, report: ImportReport) {
  /** The number of the line with each value. */
  const seen = new Map<string, number>();
  return (sent: FileLine): Line | undefined => {
    if ('problem' in sent) return report.refuse(sent, sent.problem);
    try {
      const line = lineIn(sent.fields);
      const values = Object.entries(uniqueIn?.(line) ?? {}).filter(([, value]) => value !== '');
      for (const [field, value] of values) {
        const before = seen.get(`${field} ${value}`);
        if (before !== undefined) return report.refuse(sent, `${field} stands in line ${before} already`);
      }
      for (const [field, value] of values) seen.set(`${field} ${value}`, sent.number);
      return line;
    } catch (error) {
      if (error instanceof LatchkeyError) return report.refuse(sent, error.message);
      throw error;
    }
  };
}
