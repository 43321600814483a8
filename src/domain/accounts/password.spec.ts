import { describe, expect, test } from '@jest/globals';
import { newPasswordProblem, passwordProblem } from './password.js';

describe('a password that is typed', () => {
  test.each([1, 2, 1024])('may have %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBeUndefined(),
  );

  test.each([0, 1025, 100_000])('may not have %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBe('must be 1 to 1024 characters'),
  );
});

describe('a password that is set', () => {
  test.each(['x'.repeat(8), '🔑'.repeat(8), 'x'.repeat(1024)])('may be %s', (password) =>
    expect(newPasswordProblem(password)).toBeUndefined(),
  );

  test.each(['', 'x'.repeat(7), '🔑'.repeat(7), 'x'.repeat(1025)])('may not be %s', (password) =>
    expect(newPasswordProblem(password)).toBe('must be 8 to 1024 characters'),
  );
});
