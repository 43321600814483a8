import { parse } from 'csv-parse/sync';
import { withoutSecrets } from '#domain/secrets.js';
import { UsageError } from '../answering.js';

export const IMPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** The columns of a CSV file, and the fields of JSON Lines. */
export interface FileColumns {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Those with several values: in CSV they are separated by spaces. */
  readonly lists: readonly string[];
}

/** The values of a line, as they were read: they may be missing, or of any type. */
type Fields = Readonly<Record<string, unknown>>;

/** What stands in a file of refused lines, next to each of them. It is ignored when such a file is read. */
const REASON = 'reason';

/** A line of the file, counted from 1, or why it can't be read. */
export type FileLine = SentLine & ({ readonly fields: Fields } | { readonly problem: string });

/** How a line is written to the file of refused lines, to be sent again once it is corrected. */
export interface SentLine {
  readonly number: number;
  /** The first line of that file, if its format has one. */
  readonly header?: string;
  /** Text that looks like a key is masked: it may stand in the wrong column. */
  withReason(reason: string): string;
}

const LINE_FEED = 10;
/** Four times what a line with the longest values needs. */
const MAX_BYTES = 65_536;

/**
 * Reads the lines of a file. Blank lines are left out. A line that can't be read has no effect on the others, so no value
 * can contain a line break.
 * @throws {UsageError} the columns of a CSV file are not those of an import
 */
export async function* readImport(
  source: AsyncIterable<Buffer>,
  format: ImportFormat,
  columns: FileColumns,
): AsyncIterable<FileLine> {
  const lines = linesOf(source);
  if (format === 'jsonl') {
    for await (const line of lines) yield jsonLine(line, columns);
    return;
  }
  const { value: first } = await lines.next();
  const header = columnsIn(first, columns);
  for await (const line of lines) yield csvLine(line, header, columns.lists);
}

interface TextLine {
  readonly number: number;
  /** Undefined when it is too long, or no text. */
  readonly text: string | undefined;
}

/** Keeps no more of a long line than its beginning. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<TextLine, undefined> {
  let number = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, start)) {
      number += 1;
      const text = textIn(rest.subarray(start, end));
      if (text?.trim() !== '') yield { number, text };
      start = end + 1;
    }
    rest = rest.subarray(start).subarray(0, MAX_BYTES + 1);
  }
  const text = textIn(rest);
  if (text?.trim() !== '') yield { number: number + 1, text };
}

/** Also removes a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function textIn(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  try {
    return utf8.decode(bytes).replace(/\r$/, '');
  } catch {
    return undefined;
  }
}

const UNREADABLE = `is no UTF-8 text of at most ${MAX_BYTES} bytes`;

function jsonLine({ number, text }: TextLine, columns: FileColumns): FileLine {
  const unread = {
    number,
    withReason: (reason: string) => JSON.stringify({ unreadable: withoutSecrets(text ?? ''), reason }),
  };
  if (text === undefined) return { ...unread, problem: UNREADABLE };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...unread, problem: 'is no JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...unread, problem: 'is no JSON object' };
  }
  const { [REASON]: _, ...fields } = value as Record<string, unknown>;
  const isEmpty = Object.keys(fields).length === 0;
  const sent = { number, withReason: (reason: string) => withReason(withoutSecrets(text), isEmpty, reason) };
  const unknown = Object.keys(fields).filter((name) => !isColumn(columns, name));
  if (unknown.length > 0) return { ...sent, problem: `has unknown fields: ${unknown.join(', ')}` };
  return { ...sent, fields };
}

/** Keeps the text of the other fields: a large number would be rounded. */
function withReason(text: string, isEmpty: boolean, reason: string): string {
  const fields = text
    .trim()
    .replace(/,?\s*"reason"\s*:\s*"(?:[^"\\]|\\.)*"\s*\}$/, '}')
    .replace(/\s*\}$/, '');
  return `${fields}${isEmpty ? '' : ','}"${REASON}":${JSON.stringify(reason)}}`;
}

function columnsIn(header: TextLine | undefined, expected: FileColumns): readonly string[] {
  const columns = valuesIn(header?.text ?? '') ?? [];
  const missing = expected.required.filter((name) => !columns.includes(name));
  const isKnown = (name: string) => isColumn(expected, name) || name === REASON;
  const others = columns.filter((name, index) => !isKnown(name) || columns.indexOf(name) !== index);
  if (missing.length === 0 && others.length === 0) return columns;
  const problems = [
    ...(missing.length > 0 ? [`missing are ${missing.join(', ')}`] : []),
    ...(others.length > 0 ? [`unknown or repeated are ${others.join(', ')}`] : []),
  ];
  const { required, optional = [] } = expected;
  const also = optional.length > 0 ? ` and may name ${optional.join(',')}` : '';
  throw new UsageError(
    `the first line must name the columns ${required.join(',')}${also}, in any order: ${problems.join('; ')}${looks(header)}`,
  );
}

/** What spreadsheets write instead of commas and UTF-8. */
function looks({ text }: TextLine = { number: 1, text: '' }): string {
  if (text === undefined || text.includes('\0')) return '. The file looks like UTF-16: save it as CSV in UTF-8';
  const [separator] = [';', '\t'].filter((each) => text.includes(each));
  if (separator === undefined) return '';
  return `. The file looks separated by ${separator === ';' ? 'semicolons' : 'tabs'}: save it with commas`;
}

function isColumn({ required, optional = [] }: FileColumns, name: string): boolean {
  return required.includes(name) || optional.includes(name);
}

function csvLine({ number, text }: TextLine, columns: readonly string[], lists: readonly string[]): FileLine {
  const values = text === undefined ? undefined : valuesIn(text);
  const header = [...columns.filter((name) => name !== REASON), REASON].map(quoted).join(',');
  const others = columns.flatMap((name, index) => (name === REASON ? [] : [[name, values?.[index] ?? ''] as const]));
  const isWhole = text !== undefined && values?.length === columns.length;
  const cells = isWhole || text === undefined ? others.map(([, value]) => quoted(value)) : text.split(',');
  const sent = cells.map(withoutSecrets).join(',');
  const line = { number, header, withReason: (reason: string) => `${sent},${quoted(reason)}` };
  if (text === undefined) return { ...line, problem: UNREADABLE };
  if (!values) return { ...line, problem: 'is no CSV: a quote is missing or misplaced' };
  if (!isWhole) return { ...line, problem: `has ${values.length} values, and the header has ${columns.length}` };
  const fields = others.map(([name, value]) => [name, lists.includes(name) ? listIn(value) : value]);
  return { ...line, fields: Object.fromEntries(fields) as Fields };
}

function quoted(value: string): string {
  return /[",\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const listIn = (text: string) => text.split(/\s+/).filter((each) => each !== '');

/** Undefined where the line is no CSV. */
function valuesIn(line: string): string[] | undefined {
  try {
    const records: string[][] = parse(line, { record_delimiter: '\n', relax_column_count: true });
    return records.length === 1 ? records[0] : undefined;
  } catch {
    return undefined;
  }
}

/** A file with one row, to start from. */
export function exampleFile(
  row: Readonly<Record<string, string | readonly string[]>>,
  { required, optional = [] }: FileColumns,
  format: ImportFormat,
): string {
  if (format === 'jsonl') return JSON.stringify(row);
  const columns = [...required, ...optional];
  const values = columns.map((name) => quoted([row[name] ?? ''].flat().join(' ')));
  return `${columns.join(',')}\n${values.join(',')}`;
}
