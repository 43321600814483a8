import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { displayPrefixProblem, ImportedKey, importPrefixProblem, readDisplayed, shownOf } from './imported-key.js';
import { KeyString } from './key-string.js';

const PREFIXES = ['acme_live_', 'sk|'];
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const ofLength = (length: number, prefix = 'acme_live_') => prefix.padEnd(length, 'x');

describe('ImportedKey', () => {
  test('is identified by SHA-256 of the whole string, and found by the first 96 bits of it', () => {
    const text = ofLength(40);
    const key = ImportedKey.parse(text, PREFIXES)!;
    expect(key.digest()).toEqual(sha256(text));
    expect(key.publicPart).toBe(sha256(text).toString('hex').slice(0, 24));
    expect(ImportedKey.ofDigest(sha256(text))).toEqual(key);
  });

  test.each([
    ['24 characters', ofLength(24), true],
    ['512 characters', ofLength(512), true],
    ['another prefix', ofLength(40, 'sk|'), true],
    ['23 characters', ofLength(23), false],
    ['513 characters', ofLength(513), false],
    ['no prefix', ofLength(40, 'acme_test_'), false],
    ['the prefix in the middle', `x${ofLength(40)}`, false],
    ['the prefix in upper case', ofLength(40).toUpperCase(), false],
    ['a space', `${ofLength(30)} ${ofLength(30)}`, false],
    ...['"', "'", '<', '>', '\\'].map((sign): [string, string, boolean] => [
      `a ${sign}, where it would seem to end in a text`,
      `${ofLength(30)}${sign}${ofLength(30)}`,
      false,
    ]),
    ['other signs', ofLength(40, 'acme_live_!#$%&()*+,-./:;=?@[]^_`{|}~'), true],
    ['a line break at the end', `${ofLength(40)}\n`, false],
    ['a letter beyond ASCII', `${ofLength(40)}é`, false],
    ['one of our own keys', KeyString.generate('lk').reveal(), false],
    ['nothing', '', false],
  ])('reads only what begins with a prefix and has the length of a key: %s', (_, text, isRead) => {
    expect(ImportedKey.parse(text, PREFIXES) !== undefined).toBe(isRead);
    expect(ImportedKey.parse(text, [])).toBeUndefined();
  });

  test('shows nothing of the string', () => {
    expect(JSON.stringify(ImportedKey.parse(ofLength(40, 'acme_live_geheim'), PREFIXES))).not.toContain('geheim');
  });
});

describe('importPrefixProblem', () => {
  test.each([
    'abc',
    'sk|',
    'acme_live_12345',
    'lk',
    'lk_',
    'lk_a',
    'l',
    'a b',
    'äöü',
    'acme_live_1234567',
    'lko',
    'k_lk_',
  ])('accepts 3 to 16 visible characters that no own key begins with: %s', (prefix) => {
    const isGood = ['abc', 'sk|', 'acme_live_12345', 'lko', 'k_lk_'].includes(prefix);
    expect(importPrefixProblem(prefix, 'lk') === undefined).toBe(isGood);
  });

  test('refuses what begins as the marker does, and what the marker begins with', () => {
    expect(importPrefixProblem('acm', 'acme')).toMatch(/our own keys/);
    expect(importPrefixProblem('acme_live', 'acme')).toMatch(/our own keys/);
    expect(importPrefixProblem('acmex', 'acme')).toBeUndefined();
  });
});

describe('displayPrefixProblem', () => {
  test('accepts the beginning of a string', () => {
    const good = ['acme_live_', 'acme_live_123456789', 'sk|', 'sk|7'];
    expect(good.map((shown) => displayPrefixProblem(shown, PREFIXES))).toEqual(good.map(() => undefined));
    const bad = ['acme', 'acme_live_\n', 'acme_live_ä', '', 'lk_'];
    for (const shown of bad) expect(displayPrefixProblem(shown, PREFIXES)).toMatch(/begin with acme_live_ or sk\|/);
    expect(displayPrefixProblem('acme_live_', [])).toMatch(/IMPORT_PREFIXES/);
  });
});

describe('shownOf', () => {
  test.each([
    ['acme_live_', 'acme_live_'],
    ['acme_live_1234', 'acme_live_1234'],
    ['acme_live_123456', 'acme_live_1234'],
    ['sk|1234567', 'sk|1234'],
    ['acme_live_very_1234', 'acme_live_very_1'],
  ])('of %s is the prefix, and at most four more characters and 16 in all: %s', (displayPrefix, shown) => {
    expect(shownOf(displayPrefix, [...PREFIXES, 'acme_', 'acme_live_very_'])).toBe(shown);
  });
});

describe('readDisplayed', () => {
  test('reads what lists show, a beginning of it, and the beginning of a string', () => {
    const shown = ['acme_live_…', 'acme_live_12', 'acm', 'a', 'sk|'];
    expect(shown.map((text) => readDisplayed(text, PREFIXES))).toEqual([
      'acme_live_',
      'acme_live_12',
      'acm',
      'a',
      'sk|',
    ]);
    expect(['', '…', 'lk_4f9a', 'acme_test', ofLength(17)].map((text) => readDisplayed(text, PREFIXES))).toEqual(
      Array.from({ length: 5 }),
    );
  });
});
