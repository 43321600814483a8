import { createHash } from 'node:crypto';
import { format, inspect } from 'node:util';
import { crc32 } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { root } from '../../../scripts/lib/paths.mjs';
import { digestMatches, inspectKey, KEY_PREFIX, KeyString, maskKey } from './key-string.js';
import { type Credential, type CredentialForm, credentialTexts, readCredential } from './credential.js';

const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);

/** A new key for each run: fast-check then shrinks the change to the key and not the key itself. */
const freshKey = () => KeyString.generate('lk').reveal();
const parses = (text: string, prefix = 'lk') => KeyString.parse(text, prefix) !== undefined;
const secretOf = (key: KeyString) => key.reveal().split('.')[1]!;

/** A known answer. It was computed independently, with Python's zlib and hashlib. */
const KNOWN = {
  text: 'lk_0123456789abcdef01234567.00112233445566778899aabbccddeeff00112233445566778899aabb2eaa679d',
  publicPart: '0123456789abcdef01234567',
  digest: 'c0a5c9b754f7fd6ea0fecd66538bb2add4635f7d72bddd8f0e6da0790c3cce0b',
};

describe('KeyString.generate', () => {
  test('makes key strings that parse with any valid prefix, to the same parts and digest', () => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const key = KeyString.generate(prefix);
        const parsed = KeyString.parse(key.reveal(), prefix)!;
        expect([parsed.prefix, parsed.publicPart, parsed.reveal()]).toEqual([prefix, key.publicPart, key.reveal()]);
        expect(parsed.digest()).toEqual(key.digest());
      }),
    );
  });

  test('makes <prefix>_<24 hex>.<64 hex>, of which the last 8 digits are the CRC-32 of the text before', () => {
    const text = freshKey();
    expect(text).toMatch(/^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/);
    expect(crc32(text.slice(0, -8))).toBe(Number.parseInt(text.slice(-8), 16));
  });

  test('makes a digest of the whole text with SHA-256', () => {
    const key = KeyString.generate('lk');
    expect(key.digest()).toEqual(createHash('sha256').update(key.reveal()).digest());
  });

  test('makes different parts each time', () => {
    const keys = Array.from({ length: 1000 }, () => KeyString.generate('lk'));
    expect(new Set(keys.map((key) => key.publicPart)).size).toBe(1000);
    expect(new Set(keys.map(secretOf)).size).toBe(1000);
  });
});

describe('KeyString.parse', () => {
  const positions = fc.nat({ max: freshKey().length - 1 });
  const characters = fc.oneof(
    fc.constantFrom(...'0123456789abcdefABCDEFgz_. \n\t\0-٠０аé…'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );

  test('refuses a key string with one changed character', () => {
    fc.assert(
      fc.property(positions, characters, (at, character) => {
        const text = freshKey();
        fc.pre(character !== text[at]);
        expect(parses(text.slice(0, at) + character + text.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses a key string with one changed hex digit', () => {
    const text = freshKey();
    const mistyped = [...text].flatMap((right, at) =>
      [...'0123456789abcdef'].filter((c) => c !== right).map((c) => text.slice(0, at) + c + text.slice(at + 1)),
    );
    expect(mistyped.length).toBeGreaterThan(88 * 15);
    expect(mistyped.filter((candidate) => parses(candidate))).toEqual([]);
  });

  test('refuses a key string with a missing, an added or two swapped characters', () => {
    fc.assert(
      fc.property(positions, characters, (at, character) => {
        const text = freshKey();
        expect(parses(text.slice(0, at) + text.slice(at + 1))).toBe(false);
        expect(parses(text.slice(0, at) + character + text.slice(at))).toBe(false);
        const swapped = text.slice(0, at) + (text[at + 1] ?? '') + text[at] + text.slice(at + 2);
        fc.pre(swapped !== text);
        expect(parses(swapped)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['a newline after it', (text: string) => `${text}\n`],
    ['a space after it', (text: string) => `${text} `],
    ['a space before it', (text: string) => ` ${text}`],
    ['upper case', (text: string) => text.toUpperCase()],
    ['an upper-case prefix', (text: string) => text.replace('lk_', 'LK_')],
    ['an upper-case body', (text: string) => `lk_${text.slice(3).toUpperCase()}`],
    ['another separator', (text: string) => text.replace('.', '_')],
    ['no secret', (text: string) => text.split('.')[0]!],
    ['a second secret after it', (text: string) => `${text}.${text.split('.')[1]}`],
    ['an empty text', () => ''],
  ])('refuses a key string with %s', (_what, change) => {
    const text = freshKey();
    const body = text.slice(3);
    // A body without letters would have no upper case.
    expect(body).toMatch(/[a-f]/);
    expect(parses(text)).toBe(true);
    expect(parses(change(text))).toBe(false);
  });

  test.each([
    ['in upper case', `${'AB'.repeat(12)}.${'0'.repeat(56)}`],
    ['of other letters', `${'xy'.repeat(12)}.${'0'.repeat(56)}`],
    ['with another separator', `${'a'.repeat(24)}_${'0'.repeat(56)}`],
    ['with a character before it', `x${'a'.repeat(24)}.${'0'.repeat(56)}`],
    ['with a character after it', `${'a'.repeat(24)}.${'0'.repeat(57)}`],
    ['that is empty', ''],
  ])('refuses a body %s, even with the right checksum', (_what, body) => {
    const unsealed = `lk_${body}`;
    expect(parses(unsealed + crc32(unsealed).toString(16).padStart(8, '0'))).toBe(false);
  });

  test('refuses a key string with another prefix', () => {
    fc.assert(
      fc.property(prefixes, prefixes, (mine, other) => {
        fc.pre(mine !== other);
        expect(parses(KeyString.generate(mine).reveal(), other)).toBe(false);
      }),
    );
  });

  test('refuses a key string whose prefix was replaced, because the checksum covers it', () => {
    expect(parses(freshKey().replace('lk_', 'xy_'), 'xy')).toBe(false);
  });

  test('never throws for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => !parses(text)));
  });
});

test('parses a known key string into its known parts and digest', () => {
  const key = KeyString.parse(KNOWN.text, 'lk')!;
  expect([key.prefix, key.publicPart, key.digest().toString('hex')]).toEqual(['lk', KNOWN.publicPart, KNOWN.digest]);
});

test('keeps the leading zeros of a checksum', () => {
  const unsealed = (n: number) => `lk_${n.toString(16).padStart(24, '0')}.${'0'.repeat(56)}`;
  const n = Array.from({ length: 100_000 }, (_, i) => i).find((i) => crc32(unsealed(i)) < 0x0100_0000)!;
  const checksum = crc32(unsealed(n)).toString(16);
  expect(checksum.length).toBeLessThan(7);
  expect(parses(unsealed(n) + checksum.padStart(8, '0'))).toBe(true);
  expect(parses(unsealed(n) + checksum.padEnd(8, '0'))).toBe(false);
});

describe('A printed key string', () => {
  test.each<[string, (key: KeyString) => string]>([
    ['String()', String],
    ['a template', (key) => `${key}`],
    ['concatenation', (key) => 'key ' + key],
    ['JSON.stringify', (key) => JSON.stringify({ nested: [key] })],
    ['util.inspect', (key) => inspect({ nested: [key] }, { showHidden: true, depth: null })],
    ['console.log with %s %o %O %j', (key) => format('%s %o %O %j', key, key, key, key)],
    ['console.log', (key) => format(key)],
    ['an error message', (key) => String(new Error(`no such key: ${key}`, { cause: key }).stack)],
    ['an error with the key as its cause', (key) => inspect(new Error('no such key', { cause: key }))],
    ['its own properties', (key) => JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(key)))],
    ['a spread copy', (key) => inspect({ ...key })],
  ])('is masked by %s', (_how, print) => {
    const key = KeyString.generate('lk');
    const printed = print(key);
    const secret = secretOf(key);
    // Not even a part of eight characters.
    const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8));
    expect(pieces.filter((piece) => printed.includes(piece))).toEqual([]);
  });

  test('shows its prefix, the first twelve characters of the body, and an ellipsis', () => {
    const key = KeyString.generate('lk');
    const masked = `lk_${key.publicPart.slice(0, 12)}…`;
    expect([String(key), JSON.parse(JSON.stringify(key)), maskKey('lk', key.publicPart)]).toEqual([
      masked,
      masked,
      masked,
    ]);
  });
});

describe('inspectKey', () => {
  test('reads a key with any valid prefix', () => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const key = KeyString.generate(prefix);
        const { keyString, ...parts } = inspectKey(key.reveal())!;
        expect(parts).toEqual({ prefix, publicPart: key.publicPart });
        expect(keyString?.digest()).toEqual(key.digest());
      }),
    );
  });

  test('distinguishes a wrong checksum from a text that is not a key', () => {
    const key = freshKey();
    const mistyped = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(inspectKey(mistyped)).toEqual({ prefix: 'lk', publicPart: key.slice(3, 27), keyString: undefined });
    for (const text of ['', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, `L${key}`, key.replace('.', '')]) {
      expect(inspectKey(text)).toBeUndefined();
    }
  });
});

describe('digestMatches', () => {
  const digest = KeyString.generate('lk').digest();
  const flipped = (bit: number) => {
    const copy = Buffer.from(digest);
    copy[bit >> 3]! ^= 1 << (bit & 7);
    return copy;
  };

  test('accepts only the same digest', () => {
    expect(digestMatches(digest, Buffer.from(digest))).toBe(true);
    const near = Array.from({ length: 256 }, (_, bit) => digestMatches(digest, flipped(bit)));
    expect(near).not.toContain(true);
  });

  test('refuses a missing stored digest, also for 32 zero bytes', () => {
    expect(digestMatches(digest, undefined)).toBe(false);
    expect(digestMatches(Buffer.alloc(32), undefined)).toBe(false);
  });
});

describe('KEY_PREFIX', () => {
  test.each(['lk', 'a', 'a1', 'abcdefghijklmnop'])('allows %j', (prefix) => expect(KEY_PREFIX.test(prefix)).toBe(true));
  test.each(['', 'Lk', '1k', 'l_k', 'l-k', 'lk ', 'lk\n', 'é', 'abcdefghijklmnopq'])('refuses %j', (prefix) =>
    expect(KEY_PREFIX.test(prefix)).toBe(false),
  );
});

describe('The credential of a request', () => {
  interface Case {
    readonly name: string;
    readonly credentials: readonly CredentialForm[];
    readonly headers: readonly (readonly [string, string])[];
    readonly finds: Credential;
    readonly challenge?: string;
  }
  /** test/conformance tries it at the doors and the guard. */
  const { cases } = JSON.parse(readFileSync(`${root}/clients/conformance/credentials.json`, 'utf8')) as {
    cases: Case[];
  };

  const host = 'api.example.com';
  const valuesIn = (headers: Case['headers']) => (name: string) =>
    headers.flatMap(([each, value]) => (each.toLowerCase() === name ? [value.replace('{host}', host)] : []));

  test.each(cases.map((each) => [each.name, each] as const))(
    'finds the credential and the challenge: %s',
    (_, each) => {
      const { credential, challenge } = readCredential(each.credentials, {
        values: valuesIn(each.headers),
        host: () => host,
      });
      expect(credential).toEqual(each.finds);
      if (each.challenge) expect(challenge).toBe(each.challenge);
    },
  );

  test.each([
    ['https://api.example.com', 'api.example.com:443', true],
    ['https://api.example.com', 'API.example.com', true],
    ['https://api.example.com:8443', 'api.example.com:8443', true],
    ['https://api.example.com:8443', 'api.example.com', false],
    ['http://api.example.com', 'api.example.com:443', false],
    ['https://api.example.com', undefined, false],
    ['https://', '', false],
  ])('Basic from the origin %s counts at the host %s: %s', (origin, at, counts) => {
    const authorization = `Basic ${Buffer.from('a:key').toString('base64')}`;
    const values = valuesIn([
      ['Origin', origin],
      ['Authorization', authorization],
    ]);
    const { credential } = readCredential(['basic'], { values, host: () => at });
    expect(credential).toEqual(counts ? { apiKey: 'key' } : { authorization: '' });
  });

  test('shows every text in which a key may stand, even of a request with several credentials', () => {
    const basic = `Basic ${Buffer.from('a:two').toString('base64')}`;
    const values = valuesIn([
      ['Authorization', 'Bearer one'],
      ['authorization', basic],
      ['X-API-Key', 'three'],
    ]);
    expect(credentialTexts(['bearer'], { values })).toEqual(['Bearer one', basic]);
    expect(credentialTexts(['basic', 'x-api-key'], { values })).toEqual(['Bearer one', basic, 'three', 'two']);
    expect(credentialTexts(['x-api-key'], { values })).toEqual(['three']);
  });
});
