import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { invalidFields, LatchkeyError, lengthProblem, requireFields } from './errors.js';
import { normalizeName } from './names.js';
import { oncePerList } from './once-per-list.js';
import { dayText, earliest, later, utcDay } from './time.js';
import { firstKeptDay } from './usage/key-history.js';

describe('requireFields', () => {
  test('names every invalid field in one error', () => {
    const check = () => requireFields({ name: 'must be text', access: undefined, password: 'must not be empty' });
    expect(check).toThrow(
      expect.objectContaining({
        code: 'invalid_fields',
        message: 'name must be text; password must not be empty',
        details: {
          errors: [
            { field: 'name', message: 'must be text' },
            { field: 'password', message: 'must not be empty' },
          ],
        },
      }),
    );
  });

  test('does not throw when every field is valid', () => {
    expect(requireFields({ name: undefined, access: undefined })).toBeUndefined();
    expect(requireFields({})).toBeUndefined();
  });
});

test('lengthProblem accepts 1 character up to the maximum', () => {
  expect([0, 1, 3, 4].map((length) => lengthProblem('x'.repeat(length), 3))).toEqual([
    'must be 1 to 3 characters',
    undefined,
    undefined,
    'must be 1 to 3 characters',
  ]);
});

test('LatchkeyError has a code, details and a cause', () => {
  const cause = new Error('socket closed');
  const error = new LatchkeyError('busy', 'try again', { retryAfterSeconds: 1 }, { cause });
  expect(error).toMatchObject({ name: 'LatchkeyError', code: 'busy', message: 'try again', cause });
  expect(error).toBeInstanceOf(Error);
  expect(new LatchkeyError('busy', 'try again').details).toEqual({});
  expect(invalidFields([{ field: 'a', message: 'b' }]).code).toBe('invalid_fields');
});

test.each([
  ['a zero-width space within', 'CI\u200b deploy', 'CI deploy'],
  ['a mark that turns the direction', 'CI\u202e deploy', 'CI deploy'],
  ['a joiner between Latin letters', 'de\u200dploy', 'deploy'],
  ['a joiner at the end', 'CI deploy\u200d', 'CI deploy'],
  ['the joiners of an emoji, which stay', '👩\u200d💻 laptop', '👩\u200d💻 laptop'],
  ['the joiner after a skin tone, which stays', '👩🏽\u200d💻', '👩🏽\u200d💻'],
  ['the joiner after a variation selector, which stays', '🏳\ufe0f\u200d🌈', '🏳\ufe0f\u200d🌈'],
  ['the joiners of a script that needs them, which stay', 'می\u200cخواهم', 'می\u200cخواهم'],
])('normalizeName takes out what hides in a name: %s', (_what, name, kept) => expect(normalizeName(name)).toBe(kept));

test('oncePerList computes once for each list, and again for another list with the same contents', () => {
  const computed: (readonly string[])[] = [];
  const length = oncePerList((list) => computed.push(list) && list.length);
  const [one, same] = [
    ['a', 'b'],
    ['a', 'b'],
  ];
  expect([length(one), length(one), length(same), length([])]).toEqual([2, 2, 2, 0]);
  expect(computed).toEqual([one, same, []]);
});

test('oncePerList remembers undefined too', () => {
  let computed = 0;
  const nothing = oncePerList(() => void (computed += 1));
  const list = ['a'];
  expect([nothing(list), nothing(list), computed]).toEqual([undefined, undefined, 1]);
});

const [one, other] = [new Date(1), new Date(2)];

describe('a time', () => {
  test('is the later of two, in either order', () => {
    expect([later(one, other), later(other, one)]).toEqual([other, other]);
  });

  test('is the earlier of two, in either order', () => {
    expect([earliest(one, other), earliest(other, one)]).toEqual([one, one]);
  });
});

test('utcDay counts days in UTC, and dayText writes them in ISO 8601', () => {
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(fc.property(date, (at) => expect(dayText(utcDay(at))).toBe(at.toISOString().slice(0, 10))));
  expect(utcDay(new Date('1970-01-01T23:59:59.999Z'))).toBe(0);
});

test('firstKeptDay is 89 days before today, so that 90 days are kept', () => {
  expect(dayText(firstKeptDay(utcDay(new Date('2026-03-31'))))).toBe('2026-01-01');
});
