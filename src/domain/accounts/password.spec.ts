import { describe, expect, test } from '@jest/globals';
import { newPasswordProblem, passwordProblem } from './password.js';

describe('passwordProblem', () => {
  test.each([1, 2, 1024])('accepts %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBeUndefined(),
  );

  test.each([0, 1025, 100_000])('refuses %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBe('must be 1 to 1024 characters'),
  );
});

describe('newPasswordProblem', () => {
  test.each(['x'.repeat(8), '🔑'.repeat(8), 'x'.repeat(1024)])('accepts %s', (password) =>
    expect(newPasswordProblem(password)).toBeUndefined(),
  );

  test.each(['', 'x'.repeat(7), '🔑'.repeat(7), 'x'.repeat(1025)])('refuses %s', (password) =>
    expect(newPasswordProblem(password)).toBe('must be 8 to 1024 characters'),
  );
});
