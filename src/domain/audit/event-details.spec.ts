import { expect, test } from '@jest/globals';
import { POLICY } from '../../../test/support/application/calls.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { DAY_MS } from '../time.js';
import { firstUse, fixedFacts, newLabel } from './event-details.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const KEY_STRING = KeyString.generate('lk');
const issue = () =>
  ApiKey.issue({ id: 'k1', ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 9 }, KEY_STRING, NOW);
const replace = (old: ApiKey) =>
  old.replaceBy(
    { id: 'k2', expiresInDays: undefined, graceSeconds: 60, policy: POLICY },
    KeyString.generate('lk'),
    NOW,
  );

test('fixedFacts has what never changes of a key, and of a successor the rotation too', () => {
  const old = issue();
  const facts = {
    access: 'read-only',
    publicPart: KEY_STRING.publicPart,
    digest: KEY_STRING.digest().toString('hex'),
    expiresAt: at(9 * DAY_MS).toISOString(),
  };
  expect(fixedFacts(old)).toEqual(facts);
  expect(fixedFacts(replace(old))).toMatchObject({ replaces: 'k1', graceSeconds: 60 });
});

test('firstUse has the end that it gave the old key, if that key was still active', () => {
  const old = issue();
  const next = replace(old);
  next.firstUsed(at(1));
  const used = { firstUsedAt: at(1).toISOString(), replaces: 'k1' };
  expect(firstUse(next, undefined)).toEqual({ ...used, endsAt: null });
  old.endAfter(60, at(1));
  expect(firstUse(next, old)).toEqual({ ...used, endsAt: at(60_001).toISOString() });
  old.revoke(at(2));
  expect(firstUse(next, old)).toEqual({ ...used, endsAt: at(2).toISOString() });
});

test('newLabel has what a key is called now, and what it was called before', () => {
  const key = issue();
  const previous = key.rename({ name: 'Release', note: 'Deploys' })!;
  expect(newLabel(key, previous)).toEqual({
    name: 'Release',
    note: 'Deploys',
    previousName: 'CI',
    previousNote: null,
  });
});
