import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyString } from './keys/key-string.js';
import { alsoHide, canHoldSecret, withoutSecrets } from './secrets.js';

const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
const secretOf = (key: KeyString) => key.reveal().split('.')[1]!;

describe('withoutSecrets', () => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });

  test('removes the secrets from a text with any number of keys, and keeps the public parts', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), prefixes, fc.boolean(), (texts, prefix, shout) => {
        const keys = texts.slice(1).map(() => KeyString.generate(prefix));
        const around = texts.reduce((all, next, index) => `${all}${keys[index - 1]!.reveal()} ${next}`);
        const kept = withoutSecrets(shout ? around.toUpperCase() : around).toLowerCase();
        for (const key of keys) {
          expect(kept).toContain(key.publicPart);
          expect(kept).not.toContain(secretOf(key).slice(0, 16));
          expect(kept).not.toContain(secretOf(key).slice(-8));
        }
      }),
    );
  });

  test('removes the beginning of a key that was cut off', () => {
    const key = KeyString.generate('lk');
    const cut = key.reveal().slice(0, 60);
    expect(withoutSecrets(`curl -H ${cut}`)).toBe(`curl -H lk_${key.publicPart}.…`);
  });

  test.each(['%2E', '%252e', '\\u002e'])('removes a secret after a dot that is encoded as %s', (dot) => {
    expect(withoutSecrets(`lk%5F${'a1'.repeat(12)}${dot}${'b2'.repeat(20)}`)).toBe(`lk%5F${'a1'.repeat(12)}${dot}…`);
  });

  test('removes the shortest piece of a secret', () => {
    const publicPart = 'a1'.repeat(12);
    const shortest = `${publicPart}.${'b2'.repeat(8)}`;
    expect(withoutSecrets(shortest)).toBe(`${publicPart}.…`);
    expect(canHoldSecret(shortest)).toBe(true);
    expect(canHoldSecret(shortest.slice(1))).toBe(false);
  });

  test.each([
    '',
    'Mozilla/5.0 (X11; Linux x86_64)',
    '/v1/api-keys/4f9a01c2d3e4?x=1.25',
    'a.b.c',
    `agent/1.${'c3'.repeat(20)}`,
    `${'a1'.repeat(12)}.${'b2'.repeat(7)} and nothing behind it`,
  ])('does not change %j', (plain) => expect(withoutSecrets(plain)).toBe(plain));
});

describe('withoutSecrets, once imported keys are hidden', () => {
  const body = 'aB3_-'.repeat(6);
  const key = `acme_live_${body}`;
  // The other suites of this file come first: from here on these beginnings are hidden in this process.
  beforeAll(() => alsoHide(['acme_live_', 'sk|', 'a+b.', 'acme_', '|||||||||']));

  test.each([
    ['alone', key, 'acme_live_…'],
    ['in a header', `Authorization: Bearer ${key}`, 'Authorization: Bearer acme_live_…'],
    ['in JSON', `{"key":"${key}","x":1}`, '{"key":"acme_live_…","x":1}'],
    [
      'in JSON within JSON',
      JSON.stringify(JSON.stringify({ key })),
      JSON.stringify(JSON.stringify({ key: 'acme_live_…' })),
    ],
    ['in a path', `/v1/keys/${key}`, '/v1/keys/acme_live_…'],
    ['in markup', `<b>${key}</b>`, '<b>acme_live_…</b>'],
    ['after other characters', `x${key}`, 'xacme_live_…'],
    ['twice', `${key} and ${key}.`, 'acme_live_… and acme_live_…'],
    ['next to another beginning', `sk|${body} ${key}`, 'sk|… acme_live_…'],
    ['with a beginning that is a pattern', `a+b.${body}`, 'a+b.…'],
    ['with a beginning that a URL encodes in small letters', `q=sk%7c${body}`, 'q=…'],
    ['with a long beginning that a URL encodes', `q=${'%7C'.repeat(9)}${body}`, 'q=…'],
    ['with a beginning that a URL encodes', `q=sk%7C${body}`, 'q=…'],
    ['with an encoded letter of its beginning', `q=acme%5Flive%5f${body}`, 'q=…'],
    ['with a beginning that is encoded as a whole', `q=%61%63%6D%65%5F${body}x`, 'q=…'],
    ['with a beginning that is encoded twice', `q=acme%255Flive%25255F${body}`, 'q=…'],
    ['with a beginning that JSON encodes', `"acme\\u005flive\\u005F${body}"`, '"…"'],
    ['with the shorter of two beginnings', `acme_test_${body}`, 'acme_…'],
    ['cut off', key.slice(0, 24), 'acme_live_…'],
  ])('removes it from a text: %s', (_where, text, kept) => {
    expect(withoutSecrets(text)).toBe(kept);
  });

  test('removes any of them from any text, and leaves nothing of the string', () => {
    const strings = fc.stringMatching(/^[A-Za-z0-9_+/=.~-]{24,500}$/);
    fc.assert(
      fc.property(fc.constantFrom('acme_live_', 'sk|'), strings, fc.string(), (prefix, rest, before) => {
        const kept = withoutSecrets(`${before} ${prefix}${rest} after`);
        expect(kept).toContain(`${prefix}… after`);
        expect(kept).not.toContain(rest);
      }),
    );
  });

  test.each([
    key.slice(0, 23),
    `live_${body}`,
    `ACME_LIVE_${body}`,
    `axb.${body}`,
    'acme_live_ and more words after it',
  ])('does not change %j', (plain) => expect(withoutSecrets(plain)).toBe(plain));

  test('looks at every text that is long enough for one', () => {
    expect([canHoldSecret(key.slice(0, 24)), canHoldSecret(key.slice(0, 23))]).toEqual([true, false]);
  });
});
