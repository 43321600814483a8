import { NEVER_PAUSED } from './key-pauses.js';
import { describe, expect, test } from '@jest/globals';
import {
  isProof,
  keyPermissionsProblem,
  type KeyRestrictions,
  pausedDigest,
  storedDigest,
} from './key-restrictions.js';

describe('keyPermissionsProblem', () => {
  const longest = `${'r'.repeat(100)}:read`;
  test.each([[['systems:read']], [['systems/sys-1:read', 'systems:write']], [[longest]], [['a/..b/c.:read']]])(
    'accepts %j',
    (value) => expect(keyPermissionsProblem(value)).toBeUndefined(),
  );

  test('accepts 100 permissions and refuses 101', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `systems/${index}:read`);
    expect(keyPermissionsProblem(many(100))).toBeUndefined();
    expect(keyPermissionsProblem(many(101))).toMatch(/^must be a list of 1 to 100 permissions/);
  });

  test.each<[unknown, RegExp]>([
    [[], /leave the field out for all that the owner has/],
    [null, /must be a list/],
    ['systems:read', /must be a list/],
    [[1], /must hold texts/],
    [['systems:read', 'systems'], /holds "systems", which must have the form resource:action/],
    [['systems:*'], /up to 28 characters of \[a-z0-9._-\]/],
    [['*:read'], /the form resource:action/],
    [['a:b:c'], /the form resource:action/],
    [[' systems:read'], /the form resource:action/],
    [['systems:read\n'], /up to 28 characters/],
    [['ѕystems:read'], /the form resource:action/],
    [['systems:Read'], /up to 28 characters/],
    [['systems:9read'], /up to 28 characters/],
    [[`systems:${'a'.repeat(29)}`], /up to 28 characters/],
    [[`${'r'.repeat(101)}:read`], /at most 100 characters/],
    [['systems//42:read'], /empty or only dots/],
    [['systems/:read'], /empty or only dots/],
    [['systems/..:read'], /empty or only dots/],
    [['systems/./42:read'], /empty or only dots/],
    [['/systems:read'], /the form resource:action/],
    [['systems%2F42:read'], /the form resource:action/],
  ])('refuses %j', (value, problem) => expect(keyPermissionsProblem(value)).toMatch(problem));

  test('refuses an API key and does not repeat it', () => {
    const problem = keyPermissionsProblem([`systems/${'a1'.repeat(12)}.${'b2'.repeat(32)}:read`]);
    expect(problem).toBe('must not contain an API key');
  });
});

describe('storedDigest', () => {
  const DIGEST = Buffer.alloc(32, 7);
  const NONE: KeyRestrictions = { permissions: null, allowedNetworks: null };
  const LIMITED: KeyRestrictions = { permissions: ['a:read', 'b:read'], allowedNetworks: ['10.0.0.0/8'] };

  test('is the digest of the key string for a key without restrictions', () => {
    expect(storedDigest(DIGEST, NONE)).toEqual(DIGEST);
  });

  test('proves a key with restrictions only together with them', () => {
    const digest = storedDigest(DIGEST, LIMITED);
    expect(digest).toHaveLength(32);
    expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(true);
    const changed: Partial<KeyRestrictions>[] = [
      NONE,
      { permissions: null },
      { allowedNetworks: null },
      { permissions: ['a:read'] },
      { permissions: ['a:read', 'b:read', 'c:read'] },
      { permissions: ['b:read', 'a:read'] },
      { allowedNetworks: ['10.0.0.0/7'] },
      { permissions: ['a:read', 'b:read', '10.0.0.0/8'], allowedNetworks: null },
    ];
    for (const change of changed)
      expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, ...change, digest })).toBe(false);
    expect(isProof(DIGEST, undefined)).toBe(false);
    expect(isProof(Buffer.alloc(32, 8), { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(false);
  });

  test('of a key that was ever paused proves it only where pauses are known', () => {
    const digest = pausedDigest(storedDigest(DIGEST, LIMITED));
    const paused = { pausedUntil: new Date(0), adminPausedUntil: null };
    expect(isProof(DIGEST, { ...paused, ...LIMITED, digest })).toBe(true);
    expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(false);
  });
});
