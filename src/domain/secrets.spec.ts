import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyString } from './keys/key-string.js';
import { canHoldSecret, withoutSecrets } from './secrets.js';

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
