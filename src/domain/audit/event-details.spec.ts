import { expect, test, describe } from '@jest/globals';
import { POLICY } from '#test/support/application/calls.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { DAY_MS } from '../time.js';
import {
  firstUse,
  fixedFacts,
  newLabel,
  detailsOf,
  moment,
  recordedNote,
  recordedPreviousName,
  recordedView,
  recordedLeak,
} from './event-details.js';

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

describe('an event of the history', () => {
  test.each([
    ['{"name":"CI"}', { name: 'CI' }],
    [null, {}],
    ['null', {}],
    ['7', {}],
    ['"CI"', {}],
    ['{"name":', {}],
  ])('with the details %s has %j', (details, expected) => {
    expect(detailsOf({ details })).toEqual(expected);
  });

  test.each([
    ['names the name before a renaming', 'api_key.renamed', { name: 'CI', previousName: 'Old' }, 'Old'],
    ['names none when only the note changed', 'api_key.renamed', { name: 'CI', previousName: 'CI' }, null],
    ['names none when it was not recorded', 'api_key.renamed', { name: 'CI' }, null],
    ['names none that is not a text', 'api_key.renamed', { name: 'CI', previousName: 7 }, null],
    ['names none of another event', 'api_key.created', { name: 'CI', previousName: 'Old' }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedPreviousName({ type, details: JSON.stringify(details) })).toBe(expected);
  });

  test.each([
    ['has the note of a revocation', 'api_key.revoked', { note: 'Found in a log' }, 'Found in a log'],
    ['has none where nobody wrote one', 'api_key.revoked', {}, null],
    ['has none that is not a text', 'api_key.revoked', { note: 7 }, null],
    ['does not take the note of a key for it', 'api_key.renamed', { name: 'CI', note: 'Deploys' }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedNote({ type, details: JSON.stringify(details) })).toBe(expected);
  });

  test.each([
    [
      'has the query of a page',
      'admin.viewed',
      { query: { owner: 'ada', prefix: null } },
      { owner: 'ada', prefix: null },
    ],
    ['has the ids of found accounts', 'admin.viewed', { accounts: ['ada', 'alan'] }, { accounts: 'ada,alan' }],
    ['has only texts', 'admin.viewed', { query: { limit: 7 } }, { limit: '7' }],
    ['has no query of one key', 'admin.viewed', {}, null],
    ['has no query that is a text', 'admin.viewed', { query: 'x' }, null],
    ['has no query of another event', 'api_key.created', { query: {} }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedView({ type, details: JSON.stringify(details) })).toEqual(expected);
  });

  test.each([
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(NaN), 'no time'],
    [null, 'no time'],
  ])('reads %s as %s in a problem', (at, expected) => {
    expect(moment(at)).toBe(expected);
  });
});

const recorded = (details: string | null, reason = 'leaked') => recordedLeak({ reason, details });

test('recordedLeak reads where a leaked key was found', () => {
  expect(recorded('{"source":"scanner","url":"https://git.example/x"}')).toEqual({
    source: 'scanner',
    url: 'https://git.example/x',
  });
  expect(recorded('{"source":null,"url":null}')).toEqual({ source: null, url: null });
});

test('recordedLeak is null for other events and for events without valid details', () => {
  expect(recorded('{"source":"scanner","url":null}', 'owner')).toBeNull();
  expect(recorded(null)).toBeNull();
  expect(recorded('{"source":7,"url":["x"]}')).toEqual({ source: null, url: null });
  expect([recorded('nonsense'), recorded('{"actorKind":"administrator"}')]).toEqual([null, null]);
});
