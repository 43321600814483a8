import { describe, expect, test } from '@jest/globals';
import { KeyString } from '../keys/key-string.js';
import { keyProofsIn } from './key-proof.js';

describe('keyProofsIn', () => {
  const [one, two] = [KeyString.generate('lk'), KeyString.generate('acme2')];
  const key = one.reveal();
  const proofOf = (keyString: KeyString) => ({ publicPart: keyString.publicPart, digest: keyString.digest() });
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

  test.each([
    ['alone', key],
    ['in a header', `Authorization: Bearer ${key}`],
    ['in JSON', `{"key":"${key}"}`],
    ['after a line break in JSON', `"first\\n${key}"`],
    ['in a URL', `GET /v1/api-keys?api_key=${key}&x=1`],
    ['in an encoded URL', `q%3d${key.replace('.', '%2E')}%20`],
    ['after a name', `my_token_${key}`],
    ['after a long word', `${'x'.repeat(40)}${key}`],
    ['before more of the same letters', `${key}abc`],
    ['twice', `${key} ${key}`],
  ])('finds each key: %s', (_where, text) => {
    expect(keyProofsIn(text)).toEqual([proofOf(one)]);
  });

  test('finds adjacent keys with any markers', () => {
    expect(keyProofsIn(`${key}${two.reveal()}\n${two.reveal()}`)).toEqual([proofOf(one), proofOf(two)]);
  });

  test('finds nothing in a text without the shape of a key', () => {
    expect(keyProofsIn(`${key.slice(0, -1)} ${key.slice(3)} ${key.replace('.', ' ')} ${key.toUpperCase()}`)).toEqual(
      [],
    );
  });

  test('makes a proof that matches no key for a wrong checksum', () => {
    const [proof, ...more] = keyProofsIn(`${wrong} ${wrong}`);
    expect([proof?.publicPart, more]).toEqual([one.publicPart, []]);
    expect(proof?.digest).toHaveLength(32);
    expect(proof?.digest).not.toEqual(one.digest());
  });

  test('keeps nothing of the secret', () => {
    expect(JSON.stringify([...keyProofsIn(`${key} ${wrong}`)])).not.toContain(key.slice(28, 44));
  });
});
