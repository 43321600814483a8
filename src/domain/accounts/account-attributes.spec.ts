import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DisplayString, parseDictionary } from 'structured-headers';
import { type Attribute, attributesHeader, attributesProblem } from './account-attributes.js';

const pairs = (attributes: Readonly<Record<string, string>>): Attribute[] =>
  Object.entries(attributes).map(([name, value]) => ({ name, value }));
const numbered = (count: number, value = 'x') =>
  Array.from({ length: count }, (_, n) => ({ name: `name-${n}`, value }));

/** What a library for structured fields reads. */
function read(header: string): Attribute[] {
  const plain = (value: unknown) => (typeof value === 'string' ? value : (value as DisplayString).toString());
  return [...parseDictionary(header)].map(([name, [value]]) => ({ name, value: plain(value) }));
}

describe('the attributes of an account', () => {
  test.each([
    ['none', []],
    ['16 pairs', numbered(16)],
    ['an empty value', pairs({ tenant: '' })],
    ['a value of 256 characters beyond ASCII', pairs({ tenant: '😀'.repeat(100) })],
    ['a name of 64 characters', pairs({ [`a${'.'.repeat(63)}`]: 'x' })],
  ])('may be %s', (_, attributes) => expect(attributesProblem(attributes)).toBeUndefined());

  test.each([
    ['17 pairs', numbered(17), 'must be at most 16'],
    [
      'a name twice',
      [...pairs({ tenant: 'a' }), ...pairs({ tenant: 'b' })],
      'must have each name once: "tenant" comes twice',
    ],
    ['an empty name', pairs({ '': 'x' }), /must have names of 1 to 64 characters/],
    ['a name in upper case', pairs({ Tenant: 'x' }), /that start with a letter, unlike "Tenant"/],
    ['a name that starts with a digit', pairs({ '1st': 'x' }), /that start with a letter, unlike "1st"/],
    ['a name of 65 characters', pairs({ ['a'.repeat(65)]: 'x' }), /must have names of 1 to 64 characters/],
    ['a line feed', pairs({ tenant: 'a\nb' }), 'must have values without control characters, unlike "tenant"'],
    ['a NUL', pairs({ tenant: '\0' }), /without control characters/],
    ['a C1 control character', pairs({ tenant: '\u0085' }), /without control characters/],
    ['half of a character', pairs({ tenant: '\ud800' }), /without control characters/],
    [
      '257 characters',
      pairs({ tenant: 'x'.repeat(257) }),
      'must have values of at most 256 characters, unlike "tenant"',
    ],
    ['more than 2 KiB', numbered(16, 'x'.repeat(200)), 'must take at most 2048 bytes as a header, and these take 3380'],
    [
      'more than 2 KiB once they are encoded',
      numbered(3, '語'.repeat(100)),
      'must take at most 2048 bytes as a header, and these take 2734',
    ],
  ])('can not be %s', (_, attributes, problem) => {
    expect(attributesProblem(attributes)).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  test.each([
    [{ tenant: 'acme', plan: 'pro' }, 'tenant="acme", plan="pro"'],
    [{ tenant: 'a "b" \\ c' }, 'tenant="a \\"b\\" \\\\ c"'],
    [{ tenant: '100 %, Köln' }, 'tenant=%"100 %25, K%c3%b6ln"'],
    [{}, ''],
  ])('%j are the header %s', (attributes, header) => {
    expect(attributesHeader(pairs(attributes as Record<string, string>))).toBe(header);
  });

  test('are read back from their header by a library for structured fields', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/);
    const value = fc.string({ unit: 'grapheme', maxLength: 20 });
    const attributes = fc.uniqueArray(fc.record({ name, value }), { selector: (each) => each.name, maxLength: 16 });
    fc.assert(
      fc.property(attributes, (given) => {
        fc.pre(attributesProblem(given) === undefined);
        expect(read(attributesHeader(given))).toEqual(given);
      }),
    );
  });
});
