import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { KeyString } from '#domain/keys/key-string.js';
import { importedLine, KEY_COLUMNS, KEY_IMPORT } from '../keys/import-keys.js';
import { exampleFile, type FileLine, type ImportFormat, readImport } from './import-file.js';

const { columns } = KEY_IMPORT;
const HEADER = KEY_COLUMNS.join(',');
const DIGEST = 'ab'.repeat(32);
const row = (name = 'ci') => `u1,${name},read-only,${DIGEST},acme_1,2027-03-29T00:30:00Z,systems:read reports:read,`;
const FIELDS = {
  owner_id: 'u1',
  name: 'ci',
  access: 'read-only',
  sha256: DIGEST,
  display_prefix: 'acme_1',
  expires_at: '2027-03-29T00:30:00Z',
  permissions: ['systems:read', 'reports:read'],
  allowed_networks: [] as string[],
};

/** @param size of the pieces in which the file arrives */
async function read(content: string | Buffer, format: ImportFormat = 'csv', size = 7) {
  const bytes = Buffer.from(content);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const lines: FileLine[] = [];
  for await (const line of readImport(Readable.from(pieces), format, columns)) lines.push(line);
  return lines;
}
const namesOf = (lines: readonly FileLine[]) =>
  lines.map((line) => [line.number, 'fields' in line ? line.fields.name : line.problem]);

describe('a CSV file', () => {
  it('has its columns in any order', async () => {
    const reversed = KEY_COLUMNS.toReversed();
    const values = row().split(',').toReversed();
    expect(await read(`${reversed.join(',')}\n${values.join(',')}\n`)).toMatchObject([{ number: 2, fields: FIELDS }]);
  });

  it.each([
    ['a byte order mark', `\uFEFF${HEADER}\n${row()}\n`],
    ['CRLF', `${HEADER}\r\n${row()}\r\n`],
    ['no line feed at its end', `${HEADER}\n${row()}`],
    ['quoted names of columns', `${HEADER.replaceAll(/\w+/g, '"$&"')}\n${row()}`],
  ])('is read with %s', async (_, content) => {
    expect(await read(content)).toMatchObject([{ number: 2, fields: FIELDS }]);
  });

  it('counts blank lines, and reads a quoted value', async () => {
    const lines = await read(`${HEADER}\n\n${row('"a ""good"", name"')}\n  \n${row('b')}\n\n`);
    expect(namesOf(lines)).toEqual([
      [3, 'a "good", name'],
      [5, 'b'],
    ]);
  });

  it.each([
    ['an open quote', row('"open'), 'is no CSV: a quote is missing or misplaced'],
    ['a misplaced quote', row('"a"b'), 'is no CSV: a quote is missing or misplaced'],
    ['a value too few', row().slice(0, -1), 'has 7 values, and the header has 8'],
    ['a value too many', `${row()},`, 'has 9 values, and the header has 8'],
    ['a line that is too long', row('x'.repeat(70_000)), 'is no UTF-8 text of at most 65536 bytes'],
  ])('with %s loses only that line', async (_, bad, problem) => {
    const lines = await read(`${HEADER}\n${row('a')}\n${bad}\n${row('c')}\n${row('d')}`, 'csv', 20_000);
    expect(namesOf(lines)).toEqual([
      [2, 'a'],
      [3, problem],
      [4, 'c'],
      [5, 'd'],
    ]);
  });

  it('with two open quotes loses these two lines', async () => {
    const lines = await read([HEADER, row('a'), row('"b'), row('c'), row('"d'), row('e')].join('\n'));
    expect(namesOf(lines).map(([, name]) => name)).toEqual([
      'a',
      expect.stringContaining('no CSV'),
      'c',
      expect.stringContaining('no CSV'),
      'e',
    ]);
  });

  it('that is not in UTF-8 loses only the lines with such characters', async () => {
    const content = Buffer.from(`${HEADER}\n${row('a')}\n${row('Zoë')}\n${row('b')}`, 'latin1');
    expect(namesOf(await read(content))).toEqual([
      [2, 'a'],
      [3, 'is no UTF-8 text of at most 65536 bytes'],
      [4, 'b'],
    ]);
  });

  it.each([
    ['semicolons', HEADER.replaceAll(',', ';'), 'The file looks separated by semicolons: save it with commas'],
    ['tabs', HEADER.replaceAll(',', '\t'), 'The file looks separated by tabs: save it with commas'],
    ['UTF-16', Buffer.from(`\ufeff${HEADER}`, 'utf16le'), 'The file looks like UTF-16: save it as CSV in UTF-8'],
    ['UTF-16 without a mark', Buffer.from(HEADER, 'utf16le'), 'The file looks like UTF-16: save it as CSV in UTF-8'],
  ])('is refused with what it looks like, if that is %s', async (_, content, problem) => {
    await expect(read(content)).rejects.toThrow(problem);
  });

  it.each([
    ['is empty', '', /missing are owner_id, .*allowed_networks$/],
    ['has only the rows', row(), /missing are owner_id, /],
    ['lacks a column', `${HEADER.replace('sha256,', '')}\n${row()}`, /: missing are sha256$/],
    ['has another column', `${HEADER},note\n${row()},`, /: unknown or repeated are note$/],
    ['names a column twice', `${HEADER},name\n${row()},`, /: unknown or repeated are name$/],
    ['is separated by semicolons', HEADER.replaceAll(',', ';'), /missing are/],
  ])('that %s is refused', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});

describe('a file of JSON Lines', () => {
  const json = (differences: object = {}) => JSON.stringify({ ...FIELDS, ...differences });

  it('is read', async () => {
    expect(await read(`\uFEFF${json()}\r\n\n${json({ name: 'b' })}`, 'jsonl')).toMatchObject([
      { number: 1, fields: FIELDS },
      { number: 3, fields: { ...FIELDS, name: 'b' } },
    ]);
    expect(await read('', 'jsonl')).toEqual([]);
  });

  it.each([
    ['{"name": acme_secret}', 'is no JSON'],
    ['["u1"]', 'is no JSON object'],
    ['null', 'is no JSON object'],
    [json({ note: 'x' }), 'has unknown fields: note'],
  ])('loses only the line %s', async (bad, problem) => {
    expect(namesOf(await read(`${json()}\n${bad}\n${json()}`, 'jsonl'))).toEqual([
      [1, 'ci'],
      [2, problem],
      [3, 'ci'],
    ]);
  });
});

describe('a refused line', () => {
  const again = async (content: string, format: ImportFormat) =>
    (await read(content, format)).map(({ header, withReason }) => [header, withReason('why, "so"')]);

  it('of CSV has the reason in a column of its own, as the only one also when it is read again', async () => {
    const header = `${HEADER},reason`;
    const line = `${row('"a, ""b"""')},"why, ""so"""`;
    expect(await again(`${HEADER}\n${row('"a, ""b"""')}`, 'csv')).toEqual([[header, line]]);
    expect(await again(`${header}\n${line}`, 'csv')).toEqual([[header, line]]);
    expect(await read(`${header}\n${line}`)).toMatchObject([{ fields: { ...FIELDS, name: 'a, "b"' } }]);
  });

  it('of CSV that can not be read stands as it is before the reason', async () => {
    const bad = row('"open');
    expect(await again(`${HEADER}\n${bad}\nu1,x`, 'csv')).toMatchObject([
      [`${HEADER},reason`, `${bad},"why, ""so"""`],
      [`${HEADER},reason`, 'u1,x,"why, ""so"""'],
    ]);
  });

  it('of JSON Lines has the reason as its last field, and keeps the text of the others', async () => {
    const text = '{"owner_id": 12345678901234567890, "name": "a"}';
    const line = '{"owner_id": 12345678901234567890, "name": "a","reason":"why, \\"so\\""}';
    expect(await again(`${text}\n${line}\n{}\n{"reason":"x"}`, 'jsonl')).toEqual([
      [undefined, line],
      [undefined, line],
      [undefined, '{"reason":"why, \\"so\\""}'],
      [undefined, '{"reason":"why, \\"so\\""}'],
    ]);
    expect(await again('{"name"', 'jsonl')).toEqual([
      [undefined, JSON.stringify({ unreadable: '{"name"', reason: 'why, "so"' })],
    ]);
  });
});

describe.each(['csv', 'jsonl'] as const)('a refused line of %s', (format) => {
  it('keeps no key that stands in the wrong column', async () => {
    const key = KeyString.generate('lk');
    const written = exampleFile({ ...FIELDS, sha256: key.reveal() }, columns, format);
    const [line] = await read(written, format);
    expect(line!.withReason('why')).toContain(`lk_${key.publicPart}.…`);
    expect(line!.withReason('why')).not.toContain(key.reveal().slice(-16));
  });
});

describe('the values of a line', () => {
  it('become the line of an import', () => {
    expect(importedLine({ ...FIELDS, owner_id: 1042, allowed_networks: undefined })).toEqual({
      ownerId: '1042',
      name: 'ci',
      access: 'read-only',
      sha256: Buffer.from(DIGEST, 'hex'),
      displayPrefix: 'acme_1',
      expiresAt: new Date('2027-03-29T00:30:00Z'),
      permissions: ['systems:read', 'reports:read'],
      allowedNetworks: [],
    });
  });

  it.each([
    [{ owner_id: 2 ** 53 }, 'owner_id must be a text or a whole number'],
    [{ name: null }, 'name must be a text'],
    [{ access: 1 }, 'access must be a text'],
    [{ sha256: 'acme_0123456789abcdef' }, 'sha256 must be 64 hexadecimal digits'],
    [{ sha256: `${DIGEST}00` }, 'sha256 must be 64 hexadecimal digits'],
    [{ display_prefix: undefined }, 'display_prefix must be a text'],
    [{ expires_at: '2027-03-29' }, 'expires_at must be a time such as 2027-03-29T00:30:00Z'],
    [{ permissions: '*' }, 'permissions must be a list of texts'],
    [{ allowed_networks: [1] }, 'allowed_networks must be a list of texts'],
    [{ name: 1, access: 1 }, 'name must be a text; access must be a text'],
  ])('are refused: %j', (differences, message) => {
    expect(() => importedLine({ ...FIELDS, ...differences })).toThrow(message);
  });

  it.each(['csv', 'jsonl'] as const)('are those of the template in %s', async (format) => {
    const [line, more] = await read(exampleFile(KEY_IMPORT.example(new Date()), columns, format), format);
    expect(importedLine((line as unknown as { fields: typeof FIELDS }).fields)).toMatchObject({ ownerId: 'u-1042' });
    expect(more).toBeUndefined();
  });
});
