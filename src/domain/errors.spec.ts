import { describe, expect, test } from '@jest/globals';
import { invalidFields, LatchkeyError, lengthProblem, requireFields } from './errors.js';

describe('requireFields', () => {
  test('names every field that is wrong in one error', () => {
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

  test('says nothing when every rule holds', () => {
    expect(requireFields({ name: undefined, access: undefined })).toBeUndefined();
    expect(requireFields({})).toBeUndefined();
  });
});

test('a text has one character at least and as many as it may have at most', () => {
  expect([0, 1, 3, 4].map((length) => lengthProblem('x'.repeat(length), 3))).toEqual([
    'must be 1 to 3 characters',
    undefined,
    undefined,
    'must be 1 to 3 characters',
  ]);
});

test('an error carries its code, its details and its cause', () => {
  const cause = new Error('socket closed');
  const error = new LatchkeyError('busy', 'try again', { retryAfterSeconds: 1 }, { cause });
  expect(error).toMatchObject({ name: 'LatchkeyError', code: 'busy', message: 'try again', cause });
  expect(error).toBeInstanceOf(Error);
  expect(new LatchkeyError('busy', 'try again').details).toEqual({});
  expect(invalidFields([{ field: 'a', message: 'b' }]).code).toBe('invalid_fields');
});
