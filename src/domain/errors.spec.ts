import { describe, expect, test } from '@jest/globals';
import { invalidFields, LatchkeyError, lengthProblem, requireFields } from './errors.js';

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
