import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { KeyString } from '#domain/keys/key-string.js';
import { readBearer } from '#infrastructure/inbound/shared/request-facts.js';
import { withoutSecrets } from '#domain/secrets.js';
import { shortOrLong } from '../support/jest/long-form.js';

const TRIES = shortOrLong(10_000, 1_000_000);
const WELL_FORMED = /^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/;
const KEY = KeyString.generate('lk').reveal();

const character = fc.oneof(
  fc.constantFrom(...'0123456789abcdefABCDEF._ \0\r\n\u00e9\uFF10'),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
/** One change that can happen to a key on its way. */
const edit = fc.record({
  at: fc.nat({ max: KEY.length }),
  dropped: fc.constantFrom(0, 1, 1, 1, 2),
  put: fc.array(character, { maxLength: 2 }).map((characters) => characters.join('')),
});
const mutated = fc.array(edit, { maxLength: 3 }).map((edits) => {
  return edits.reduce((text, { at, dropped, put }) => text.slice(0, at) + put + text.slice(at + dropped), KEY);
});
const anyText = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.stringMatching(WELL_FORMED) },
);

test(`the parser accepts only texts with the form and the checksum of a key, in ${TRIES} tries`, () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const key = KeyString.parse(text, 'lk');
      readBearer([text]);
      withoutSecrets(text);
      if (!key) return;
      accepted += 1;
      const hasChecksum = crc32(text.slice(0, -8)).toString(16).padStart(8, '0') === text.slice(-8);
      expect([key.reveal(), hasChecksum, WELL_FORMED.test(text)]).toEqual([text, true, true]);
    }),
    { numRuns: TRIES },
  );
  // The unchanged key is among them.
  expect(accepted).toBeGreaterThan(TRIES / 1000);
});
