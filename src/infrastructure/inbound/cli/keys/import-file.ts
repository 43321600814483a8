import { parse } from 'csv-parse/sync';
import { UsageError } from '../failures.js';

export const IMPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const IMPORT_COLUMNS = [
  'owner_id',
  'name',
  'access',
  'sha256',
  'display_prefix',
  'expires_at',
  'permissions',
  'allowed_networks',
] as const;

/** The values of a line, as they were read: they may be missing, or of any type. */
export type ImportFields = Readonly<Record<(typeof IMPORT_COLUMNS)[number], unknown>>;

/** A line of the file, counted from 1, or why it can't be read. */
export type FileLine =
  | { readonly number: number; readonly fields: ImportFields }
  | { readonly number: number; readonly problem: string };

const LISTS: readonly string[] = ['permissions', 'allowed_networks'];
const LINE_FEED = 10;
/** Four times what a line with the longest values needs. */
const MOST_BYTES = 65_536;

/**
 * Reads the lines of a file in batches. Blank lines are left out. A line that can't be read has no effect on the others,
 * so no value can contain a line break.
 * @throws {UsageError} the columns of a CSV file are not those of an import
 */
export async function* readImport(
  source: AsyncIterable<Buffer>,
  format: ImportFormat,
  atOnce: number,
): AsyncIterable<FileLine[]> {
  const read = format === 'csv' ? csvReader() : (lines: readonly TextLine[]) => lines.map(readJson);
  let batch: TextLine[] = [];
  for await (const line of linesOf(source)) {
    if (line.text?.trim() === '') continue;
    batch.push(line);
    if (batch.length < atOnce) continue;
    yield read(batch);
    batch = [];
  }
  if (batch.length > 0 || format === 'csv') yield read(batch);
}

interface TextLine {
  readonly number: number;
  /** Undefined when it is too long, or no text. */
  readonly text: string | undefined;
}

/** Keeps no more of a long line than its beginning. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncIterable<TextLine> {
  let number = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, start)) {
      yield { number: (number += 1), text: textIn(rest.subarray(start, end)) };
      start = end + 1;
    }
    rest = rest.subarray(start).subarray(0, MOST_BYTES + 1);
  }
  if (rest.length > 0) yield { number: number + 1, text: textIn(rest) };
}

/** Also removes a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function textIn(bytes: Buffer): string | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  try {
    return utf8.decode(bytes).replace(/\r$/, '');
  } catch {
    return undefined;
  }
}

const unreadable = ({ number }: TextLine) => ({ number, problem: `is no UTF-8 text of at most ${MOST_BYTES} bytes` });

function readJson(line: TextLine): FileLine {
  const { number, text } = line;
  if (text === undefined) return unreadable(line);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { number, problem: 'is no JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { number, problem: 'is no JSON object' };
  }
  const unknown = Object.keys(value).filter((name) => !isColumn(name));
  if (unknown.length > 0) return { number, problem: `has unknown fields: ${unknown.join(', ')}` };
  return { number, fields: value as ImportFields };
}

/** The first line that it gets is the header. */
function csvReader(): (lines: readonly TextLine[]) => FileLine[] {
  let columns: readonly string[] | undefined;
  return (lines) => {
    const isFirst = columns === undefined;
    const header = (columns ??= columnsIn(lines[0]));
    const rows = isFirst ? lines.slice(1) : lines;
    const values = valuesIn(rows.map(({ text = '""' }) => text));
    return rows.map((row, index) => (row.text === undefined ? unreadable(row) : csvLine(row, values[index], header)));
  };
}

function columnsIn(header: TextLine | undefined): readonly string[] {
  const [columns = []] = valuesIn([header?.text ?? '']);
  const missing = IMPORT_COLUMNS.filter((name) => !columns.includes(name));
  const others = columns.filter((name, index) => !isColumn(name) || columns.indexOf(name) !== index);
  if (missing.length === 0 && others.length === 0) return columns;
  const problems = [
    ...(missing.length > 0 ? [`missing are ${missing.join(', ')}`] : []),
    ...(others.length > 0 ? [`unknown or repeated are ${others.join(', ')}`] : []),
  ];
  throw new UsageError(
    `the first line must name the columns ${IMPORT_COLUMNS.join(',')}, in any order: ${problems.join('; ')}`,
  );
}

const isColumn = (name: string) => (IMPORT_COLUMNS as readonly string[]).includes(name);

function csvLine({ number }: TextLine, values: string[] | undefined, columns: readonly string[]): FileLine {
  if (!values) return { number, problem: 'is no CSV: a quote is missing or misplaced' };
  if (values.length !== columns.length) {
    return { number, problem: `has ${values.length} values, and the header has ${columns.length}` };
  }
  const cells = columns.map((name, index) => [name, LISTS.includes(name) ? listIn(values[index]!) : values[index]]);
  return { number, fields: Object.fromEntries(cells) as ImportFields };
}

const listIn = (text: string) => text.split(/\s+/).filter((each) => each !== '');

/** Of each line; undefined where it is no CSV. Parses all lines at once where it can, which is six times faster. */
function valuesIn(lines: readonly string[]): (string[] | undefined)[] {
  const records = recordsIn(lines.join('\n'));
  if (records?.length === lines.length) return records;
  return lines.map((line) => {
    const alone = recordsIn(line);
    return alone?.length === 1 ? alone[0] : undefined;
  });
}

function recordsIn(text: string): string[][] | undefined {
  try {
    return parse(text, { record_delimiter: '\n', relax_column_count: true });
  } catch {
    return undefined;
  }
}
