import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalizeName } from '../names.js';
import type { AccountLimits } from '../accounts/entitlements.js';
import type { LatchkeyError } from '../errors.js';
import { HOUR_MS } from '../time.js';
import {
  expiryDaysProblem,
  graceSecondsOf,
  handledMarkProblem,
  isKeyId,
  KEY_FIELDS,
  keyNameProblem,
  keyNoteProblem,
  normalizeKeyNote,
  requireValid,
  ROTATION_FIELDS,
} from './key-rules.js';
import { KeyString } from './key-string.js';
import { defaultKeyDays, keyPolicy, requireChangesLeft, requireGivable } from './key-policy.js';

const CONTROL = 'must not contain control characters';
const EMPTY = 'must not be empty';
const TOO_LONG = 'must be at most 64 characters';

describe('keyNameProblem', () => {
  test.each<[string, string]>([
    ['one character', 'x'],
    ['64 characters', 'x'.repeat(64)],
    ['64 characters and spaces around them', `  ${'x'.repeat(64)}  `],
    ['64 characters of two code units each', '🔑'.repeat(64)],
    ['64 characters written as 128 code points that NFC joins', 'e\u0301'.repeat(64)],
    ['any script', 'Schlüssel für 東京'],
    ['an emoji of several code points', '👩‍💻 laptop'],
    ['spaces within', 'my  laptop'],
  ])('accepts %s', (_what, name) => expect(keyNameProblem(name)).toBeUndefined());

  test.each<[string, unknown, string]>([
    ['empty', '', EMPTY],
    ['only spaces', '   ', EMPTY],
    ['only non-breaking and ideographic spaces', '\u00a0\u3000\ufeff', EMPTY],
    ['only a zero-width space', '\u200b', EMPTY],
    ['only joiners, marks of direction and a soft hyphen', '\u200d\u2060\u202e\u00ad', EMPTY],
    ['only a Hangul filler', '\u3164', EMPTY],
    ['only an empty Braille cell', '\u2800', EMPTY],
    ['only a variation selector', '\ufe0f', EMPTY],
    ['65 characters', 'x'.repeat(65), TOO_LONG],
    ['65 characters of two code units each', '🔑'.repeat(65), TOO_LONG],
    ['33 characters that NFC turns into 66', '\u0958'.repeat(33), TOO_LONG],
    ['with a newline within', 'a\nb', CONTROL],
    ['with a newline at its end', 'a\n', CONTROL],
    ['with a tab', 'a\tb', CONTROL],
    ['with NUL', 'a\0b', CONTROL],
    ['with DEL', 'a\u007fb', CONTROL],
    ['with a C1 control', 'a\u0085b', CONTROL],
    ['with a line separator', 'a\u2028b', CONTROL],
    ['with a paragraph separator', 'a\u2029b', CONTROL],
    ['with a lone high surrogate', 'a\ud83db', CONTROL],
    ['with a lone low surrogate', '\udd11', CONTROL],
    ['with most of a key string', `${'a1'.repeat(12)}.${'0'.repeat(16)}`, 'must not contain an API key'],
    ['a number', 5, 'must be text'],
    ['undefined', undefined, 'must be text'],
    ['null', null, 'must be text'],
    ['a list', ['CI'], 'must be text'],
  ])('refuses: %s', (_what, name, problem) => expect(keyNameProblem(name)).toBe(problem));

  test('ignores surrounding spaces, which normalizeName removes, and applies NFC', () => {
    expect(normalizeName('  cafe\u0301 \u00a0')).toBe('café');
  });

  test('accepts names of 1 to 64 code points, which normalizing again does not change', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        fc.pre(keyNameProblem(name) === undefined);
        const kept = normalizeName(name);
        expect([...kept].length).toBeGreaterThanOrEqual(1);
        expect([...kept].length).toBeLessThanOrEqual(64);
        expect(kept).toBe(kept.normalize('NFC'));
        expect(kept).toBe(kept.trim());
        expect(normalizeName(kept)).toBe(kept);
        expect(keyNameProblem(kept)).toBeUndefined();
      }),
    );
  });
});

describe('graceSecondsOf', () => {
  test.each<[Parameters<typeof graceSecondsOf>[0], number]>([
    [{}, 86_400],
    [{ graceSeconds: 0 }, 0],
    [{ graceSeconds: 60, leaked: false }, 60],
    [{ leaked: true }, 0],
    [{ graceSeconds: 0, leaked: true }, 0],
  ])('%j takes %i seconds', (wish, seconds) => expect(graceSecondsOf(wish)).toBe(seconds));

  test('refuses a leaked key that is to keep working', () => {
    expect(() => graceSecondsOf({ graceSeconds: 1, leaked: true })).toThrow(
      'graceSeconds must be 0 or left out: a leaked key ends at once',
    );
  });
});

describe('keyNoteProblem', () => {
  test.each<[string, string]>([
    ['an empty note', ''],
    ['200 characters', '🔑'.repeat(200)],
  ])('accepts %s', (_what, note) => expect(keyNoteProblem(note)).toBeUndefined());

  test.each<[string, unknown, string]>([
    ['201 characters', 'x'.repeat(201), 'must be at most 200 characters'],
    ['a line break', 'a\nb', CONTROL],
    ['a key string', `use ${KeyString.generate('lk').reveal()}`, 'must not contain an API key'],
    ['null', null, 'must be text'],
  ])('refuses %s', (_what, note, problem) => expect(keyNoteProblem(note)).toBe(problem));

  test('takes a note of spaces for none', () => {
    expect([normalizeKeyNote(' \u00a0'), normalizeKeyNote(' cafe\u0301 ')]).toEqual([null, 'café']);
  });
});

describe('expiryDaysProblem', () => {
  test.each([1, 2, 90, 364, 365])('accepts %j', (days) => expect(expiryDaysProblem(days)).toBeUndefined());

  test.each([0, -1, 366, 1.5, 1e9, Number.NaN, Infinity, '90', null, undefined, [90], true])('refuses %p', (days) =>
    expect(expiryDaysProblem(days)).toBe('must be a whole number from 1 to 365'),
  );
});

describe('requireValid for a new key', () => {
  test('accepts valid fields', () => {
    expect(requireValid(KEY_FIELDS, { name: 'CI', access: 'read-only', expiresInDays: 90 })).toBeUndefined();
  });

  test('names every invalid field in one error', () => {
    const errors = [
      { field: 'name', message: EMPTY },
      { field: 'access', message: 'must be one of read-only, read-and-write' },
      { field: 'expiresInDays', message: 'must be a whole number from 1 to 365' },
    ];
    expect(() => requireValid(KEY_FIELDS, { name: '', access: 'admin', expiresInDays: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid_fields', details: { errors } }),
    );
  });
});

describe('requireValid for a rotation', () => {
  test.each([0, 1, 86_400, 604_800])('accepts a grace period of %i seconds', (graceSeconds) => {
    expect(requireValid(ROTATION_FIELDS, { graceSeconds, expiresInDays: undefined })).toBeUndefined();
    expect(requireValid(ROTATION_FIELDS, { graceSeconds, expiresInDays: 365 })).toBeUndefined();
  });

  test.each([-1, 604_801, 0.5, '0', null, undefined])('names every invalid field in one error: %j', (graceSeconds) => {
    const errors = [
      { field: 'expiresInDays', message: 'must be a whole number from 1 to 365' },
      { field: 'graceSeconds', message: 'must be a whole number from 0 to 604800' },
    ];
    expect(() => requireValid(ROTATION_FIELDS, { graceSeconds, expiresInDays: null })).toThrow(
      expect.objectContaining({ code: 'invalid_fields', details: { errors } }),
    );
  });
});

const ID = '01234567-89ab-cdef-0123-456789abcdef';

describe('isKeyId', () => {
  test.each([ID, randomUUID()])('accepts %j', (id) => expect(isKeyId(id)).toBe(true));

  test.each([
    '',
    ID.toUpperCase(),
    ` ${ID}`,
    `${ID}\n`,
    `${ID}0`,
    `x${ID}`,
    ID.slice(1),
    ID.slice(0, -1),
    ID.replaceAll('-', ''),
    ID.replace('f', 'g'),
    `{${ID}}`,
  ])('refuses %j', (id) => expect(isKeyId(id)).toBe(false));
});

test('a mark of what was handled is a kind and a day', () => {
  expect(handledMarkProblem('expired 2026-11-27')).toBeUndefined();
  for (const other of [
    undefined,
    7,
    'expired',
    ' 2026-11-27',
    'lk_1 2026-11-27',
    'seen 2026-11-27\n',
    `${'a'.repeat(21)} 2026-11-27`,
  ]) {
    expect(handledMarkProblem(other)).toBe('must be a kind and a day, such as expired 2026-11-27');
  }
});

describe('The policy for keys', () => {
  const SERVICE = { maxActiveKeys: 5, maxKeyDays: 90 };
  const PLAIN = { ...SERVICE, maxAccess: 'read-and-write', newKeys: true, limitedByAccount: [] };
  const person = (limits: AccountLimits) => ({ limits, kind: 'person' as const });

  test.each<[string, AccountLimits, object]>([
    ['nothing', {}, PLAIN],
    ['rates', { requestsPerSecond: 1, burst: 1 }, PLAIN],
    ['more keys', { maxActiveKeys: 100 }, { ...PLAIN, maxActiveKeys: 100, limitedByAccount: ['maxActiveKeys'] }],
    ['fewer keys', { maxActiveKeys: 1 }, { ...PLAIN, maxActiveKeys: 1, limitedByAccount: ['maxActiveKeys'] }],
    ['fewer days', { maxKeyDays: 7 }, { ...PLAIN, maxKeyDays: 7, limitedByAccount: ['maxKeyDays'] }],
    ['more days', { maxKeyDays: 365 }, PLAIN],
    ['the same days', { maxKeyDays: 90 }, PLAIN],
    [
      'read-only keys',
      { maxAccess: 'read-only' },
      { ...PLAIN, maxAccess: 'read-only', limitedByAccount: ['maxAccess'] },
    ],
    ['no new keys', { noNewKeys: true }, { ...PLAIN, newKeys: false, limitedByAccount: ['newKeys'] }],
    ['new keys', { noNewKeys: false }, PLAIN],
    ['every access', { maxAccess: 'read-and-write' }, PLAIN],
  ])('an account that is limited to %s has this policy', (_, limits, policy) => {
    expect(keyPolicy(SERVICE, person(limits))).toEqual(policy);
  });

  test.each([
    [365, 90],
    [90, 90],
    [89, 89],
    [1, 1],
  ])('where keys may last %i days, they last %i by default', (maxKeyDays, days) => {
    expect(defaultKeyDays(keyPolicy({ ...SERVICE, maxKeyDays }, person({})))).toBe(days);
  });

  describe('requireGivable', () => {
    const OWNED = ['systems:read', 'systems:write', 'systems:delete', 'reports/eu:read', 'old//one:read'];
    const READ_ONLY: AccountLimits = { maxAccess: 'read-only' };
    type Wish = Partial<Parameters<typeof requireGivable>[0]>;
    const problemsOf = (wish: Wish, limits: AccountLimits = {}) => {
      try {
        requireGivable(
          { access: 'read-and-write', expiresInDays: 90, ...wish },
          OWNED,
          keyPolicy(SERVICE, person(limits)),
        );
        return undefined;
      } catch (error) {
        return (error as LatchkeyError).details.errors;
      }
    };

    test.each([[['systems:read']], [['systems/42:read', 'systems/42/disk:write', 'reports/eu/2026:read']]])(
      'accepts %j, which the owner has or has the permission above',
      (permissions) => expect(problemsOf({ permissions })).toBeUndefined(),
    );

    test.each<[string, Wish, AccountLimits]>([
      ['as many days as allowed', { expiresInDays: 7 }, { maxKeyDays: 7 }],
      ['no more days than the service allows, though the account may have more', {}, { maxKeyDays: 365 }],
      ['a read-only key', { access: 'read-only', permissions: ['systems:read'] }, READ_ONLY],
      ['a key that may write', {}, { maxAccess: 'read-and-write' }],
    ])('accepts %s', (_, wish, limits) => expect(problemsOf(wish, limits)).toBeUndefined());

    test.each([
      ['reports:read'],
      ['systems:delete'],
      ['systemsx:read'],
      ['systems2/42:read'],
      ['Systems:read'],
      ['old//one:read'],
    ])('refuses %s, which no key of this owner can have', (permission) => {
      const message = `holds "${permission}", which this account can't give: a key has at most what its account may read and write`;
      expect(problemsOf({ permissions: ['systems:read', permission] })).toEqual([{ field: 'permissions', message }]);
    });

    test('refuses a permission to write for a key that may only read', () => {
      const message = `holds "systems/42:write", which a read-only key can't use: leave it out or change access`;
      const permissions = ['systems:read', 'systems/42:write'];
      expect(problemsOf({ permissions, access: 'read-only' })).toEqual([{ field: 'permissions', message }]);
    });

    test('names every field that is above a limit, what is allowed, and who allows no more', () => {
      const wish = { expiresInDays: 91, permissions: ['systems:write'] };
      const access = { field: 'access', message: 'must be read-only: the limits of this account allow no more' };
      const permissions = {
        field: 'permissions',
        message: `holds "systems:write", which this account can't give: a key has at most what its account may read and write`,
      };
      const days = (message: string) => ({ field: 'expiresInDays', message });
      const byService = days('must be a whole number from 1 to 90: this service allows no more');
      const byAccount = days('must be a whole number from 1 to 7: the limits of this account allow no more');
      expect(problemsOf(wish)).toEqual([byService]);
      expect(problemsOf(wish, READ_ONLY)).toEqual([access, byService, permissions]);
      expect(problemsOf(wish, { ...READ_ONLY, maxKeyDays: 7 })).toEqual([access, byAccount, permissions]);
    });
  });

  const NOW = new Date('2026-04-01T12:00:00.000Z');
  const ago = (ms: number) => new Date(NOW.getTime() - ms);

  describe('requireChangesLeft', () => {
    test.each([
      ['an account that made fewer keys', undefined],
      ['an account whose key that far back was made an hour ago', ago(HOUR_MS)],
      ['an account whose key that far back is older', ago(HOUR_MS + 1)],
    ])('admits %s', (_, earlierAt) => {
      expect(() => requireChangesLeft(3, earlierAt, NOW)).not.toThrow();
    });

    test.each([
      [HOUR_MS - 1, 1],
      [HOUR_MS - 1000, 1],
      [HOUR_MS - 1001, 2],
      [0, 3600],
    ])('refuses when the key that far back was made %i ms ago, and says to wait %i s', (ms, retryAfterSeconds) => {
      expect(() => requireChangesLeft(3, ago(ms), NOW)).toThrow(
        expect.objectContaining({
          code: 'too_many_changes',
          message: 'At most 3 API keys can be created or rotated in an hour: try again later',
          details: { retryAfterSeconds },
        }),
      );
    });
  });
});
