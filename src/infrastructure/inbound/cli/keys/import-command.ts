import { createReadStream, fstatSync, openSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { IMPORTED_AT_ONCE, type ImportKeys } from '../../../../application/keys/import-keys.js';
import type { Administrator } from '../../../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import type { ImportedLine } from '../../../../domain/keys/key-import.js';
import type { Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { administrator, byOption, onDatabase, requireImportPrefixes } from '../environment.js';
import { UsageError } from '../failures.js';
import { ProgressBar } from '../progress.js';
import { type FileLine, IMPORT_FORMATS, type ImportFormat, readImport } from './import-file.js';
import { ImportReport } from './import-report.js';
import { exampleFile, importedLine } from './imported-line.js';

interface ImportOptions {
  readonly format?: ImportFormat;
  readonly refused?: string;
  readonly dryRun?: boolean;
  readonly example?: boolean;
  readonly by?: string;
}

export function addImportCommand(keys: Command, databases: Databases): void {
  const command = keys
    .command('import')
    .argument('[file]', 'CSV or JSON Lines; - is stdin')
    .description('import keys that another system made, by the SHA-256 of each; needs IMPORT_PREFIXES')
    .addOption(new Option('--format <format>', 'default: by the extension, .csv or .jsonl').choices(IMPORT_FORMATS))
    .option(
      '--refused <file>',
      'write the refused lines with their reasons to a new file, to be corrected and imported again',
    )
    .option('--example', 'print a file with one key, to start from')
    .addOption(byOption())
    .option('--dry-run', 'print what would be imported and refused: nothing is changed');
  answering(command, (file: string | undefined, options: ImportOptions) => importFile(databases, file, options));
}

async function importFile(databases: Databases, file: string | undefined, options: ImportOptions): Promise<Answer> {
  const { format = formatOf(file), example, dryRun = false } = options;
  if (example) return exampleAnswer(format ?? 'csv');
  if (file === undefined) throw new UsageError('give a file, or --example');
  if (!format) throw new UsageError(`give --format, because the name does not end in .${IMPORT_FORMATS.join(' or .')}`);
  requireImportPrefixes();
  const actor = administrator(options.by);
  const source = openSource(file);
  const report = new ImportReport(options.refused);
  const bar = new ProgressBar('lines');
  const importAll = async (importKeys: ImportKeys) => {
    for await (const lines of readImport(source.bytes, format, IMPORTED_AT_ONCE)) {
      await importBatch(lines, { importKeys, actor, report });
      bar.show(report.lines, source.fractionRead());
    }
  };
  try {
    // Unlimited: a batch writes many rows, and waits for other changes of its owners.
    await onDatabase(databases, (really) => importAll((dryRun ? really.rehearsal : really).importKeys), true);
  } finally {
    bar.clear();
    report.close();
  }
  return report.answer(dryRun);
}

function formatOf(file: string | undefined): ImportFormat | undefined {
  return IMPORT_FORMATS.find((format) => file?.endsWith(`.${format}`));
}

function exampleAnswer(format: ImportFormat): Answer {
  const now = new Date();
  return { document: JSON.parse(exampleFile('jsonl', now)), text: exampleFile(format, now) };
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

interface Importing {
  readonly importKeys: ImportKeys;
  readonly actor: Administrator;
  readonly report: ImportReport;
}

async function importBatch(lines: readonly FileLine[], { importKeys, actor, report }: Importing): Promise<void> {
  const read = lines.map(readLine);
  const importable = read.filter((line) => typeof line !== 'string');
  const outcomes = (await importKeys.execute(importable, actor)).values();
  lines.forEach((sent, index) => {
    const line = read[index]!;
    if (typeof line === 'string') report.refuse(sent, line);
    else report.add(sent, line.ownerId, outcomes.next().value!);
  });
}

/** @returns the reason, if the line can't be read */
function readLine(line: FileLine): ImportedLine | string {
  if ('problem' in line) return line.problem;
  try {
    return importedLine(line.fields);
  } catch (error) {
    if (error instanceof LatchkeyError) return error.message;
    throw error;
  }
}
