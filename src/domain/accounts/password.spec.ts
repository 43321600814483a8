import { describe, expect, test } from '@jest/globals';
import { passwordProblem } from './password.js';

describe('a password', () => {
  test.each([1, 2, 1024])('may have %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBeUndefined(),
  );

  test.each([0, 1025, 100_000])('may not have %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBe('must be 1 to 1024 characters'),
  );
});
