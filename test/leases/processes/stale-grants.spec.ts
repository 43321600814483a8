import { expect, test } from '@jest/globals';
import { type AccountState, type Change, staleGrants } from './stale-grants.js';

const BEFORE: AccountState = { version: '1', isActive: true, permissions: ['a:read'], keys: ['k1', 'k2'] };
const GRANT = { status: 200, isFromLease: true, permission: '', keyId: 'k1', granted: ['a:read'], version: '1' };
const born: Change = { what: 'born', invokedAt: 0, answeredAt: 1, after: BEFORE };
const change = (after: Partial<AccountState>): Change[] => [
  born,
  { what: 'changed', invokedAt: 10, answeredAt: 20, after: { ...BEFORE, ...after } },
];
const wrong = (changes: readonly Change[], startedAt: number, endedAt: number, grant: object = {}) =>
  staleGrants(changes, [], [{ ...GRANT, startedAt, endedAt, ...grant }]).length;

test.each<[string, Partial<AccountState>]>([
  ['a revoked key', { keys: ['k2'] }],
  ['a suspended account', { isActive: false }],
  ['other permissions', { permissions: ['b:read'] }],
  ['other attributes', { version: '2' }],
])('a grant of %s is stale if its request started after the answer', (_what, after) => {
  expect(wrong(change(after), 21, 22)).toBe(1);
  expect([wrong(change(after), 19, 22), wrong(change(after), 2, 3)]).toEqual([0, 0]);
});

test('a grant is wrong that no state had yet, or whose permission is not among them', () => {
  expect(wrong(change({ version: '2' }), 5, 6, { version: '2' })).toBe(1);
  expect(wrong(change({ version: '2' }), 5, 11, { version: '2' })).toBe(0);
  expect(wrong([born], 5, 6, { permission: 'b:read' })).toBe(1);
});

test('an old key is stale once its successor was used', () => {
  const grants = [
    { ...GRANT, keyId: 'k2', startedAt: 30, endedAt: 40 },
    { ...GRANT, startedAt: 39, endedAt: 50 },
    { ...GRANT, startedAt: 41, endedAt: 50 },
  ];
  const stale = staleGrants([born], [{ oldId: 'k1', successorId: 'k2' }], grants);
  expect(stale.map(({ grant }) => grant.startedAt)).toEqual([41]);
});
