import { describe, expect, test } from '@jest/globals';
import { KeyString } from '../keys/key-string.js';
import { keyProofsIn } from './key-proof.js';

describe('the proofs in a text', () => {
  const [one, two] = [KeyString.generate('lk'), KeyString.generate('acme2')];
  const key = one.reveal();
  const proofOf = (keyString: KeyString) => ({ publicPart: keyString.publicPart, digest: keyString.digest() });
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

  test.each([
    ['alone', key],
    ['in a header', `Authorization: Bearer ${key}`],
    ['in JSON', `{"key":"${key}"}`],
    ['after a line break that JSON wrote', `"first\\n${key}"`],
    ['in a URL', `GET /v1/api-keys?api_key=${key}&x=1`],
    ['in a URL that was encoded', `q%3d${key.replace('.', '%2E')}%20`],
    ['behind a name', `my_token_${key}`],
    ['behind a long word', `${'x'.repeat(40)}${key}`],
    ['before more of the same letters', `${key}abc`],
    ['twice', `${key} ${key}`],
  ])('are those of the keys that stand there: %s', (_where, text) => {
    expect(keyProofsIn(text)).toEqual([proofOf(one)]);
  });

  test('come one after the other, whatever the markers', () => {
    expect(keyProofsIn(`${key}${two.reveal()}\n${two.reveal()}`)).toEqual([proofOf(one), proofOf(two)]);
  });

  test('are none where not even the shape is that of a key', () => {
    expect(keyProofsIn(`${key.slice(0, -1)} ${key.slice(3)} ${key.replace('.', ' ')} ${key.toUpperCase()}`)).toEqual(
      [],
    );
  });

  test('with a wrong checksum are of the same key, and prove it not', () => {
    const [proof, ...more] = keyProofsIn(`${wrong} ${wrong}`);
    expect([proof?.publicPart, more]).toEqual([one.publicPart, []]);
    expect(proof?.digest).toHaveLength(32);
    expect(proof?.digest).not.toEqual(one.digest());
  });

  test('hold nothing of the secret', () => {
    expect(JSON.stringify([...keyProofsIn(`${key} ${wrong}`)])).not.toContain(key.slice(28, 44));
  });
});
