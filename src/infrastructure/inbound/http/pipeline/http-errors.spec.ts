import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { LatchkeyError } from '#domain/errors.js';
import { turnAway } from './http-errors.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What has been answered so far, in order. */
function answersTo(...errors: Error[]) {
  const answered: unknown[] = [];
  for (const error of errors) turnAway(error).catch((refusal: unknown) => answered.push(refusal));
  return answered;
}

test.each(['busy', 'too_many_attempts'] as const)(
  'delays an answer that says to retry (%s) by a random time of up to half a second',
  async (code) => {
    const later = () => new LatchkeyError(code, 'later', { retryAfterSeconds: 1 });
    const [first, second] = [later(), later()];
    jest.spyOn(Math, 'random').mockReturnValueOnce(0.999).mockReturnValueOnce(0.5);
    const answered = answersTo(first, second);
    await turn();
    expect(answered).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(answered).toEqual([second]);
    await jest.advanceTimersByTimeAsync(250);
    expect(answered).toEqual([second, first]);
  },
);

test.each([new LatchkeyError('invalid_credentials', 'wrong'), new Error('a fault')])(
  'answers %s at once',
  async (error) => {
    const answered = answersTo(error);
    await turn();
    expect(answered).toEqual([error]);
  },
);
