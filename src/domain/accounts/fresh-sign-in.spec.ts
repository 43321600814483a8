import { describe, expect, test } from '@jest/globals';
import { authenticatedAt, confirmationRequired, isFresh } from './fresh-sign-in.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const RULE = { maxAgeSeconds: 300, acrValues: [] };
const STRONG = { maxAgeSeconds: 300, acrValues: ['gold', 'silver'] };
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

describe('a sign-in at the platform', () => {
  test.each([
    ['just now', 0, true],
    ['300 s ago', 300, true],
    ['a moment longer ago', 300.001, false],
    ['an hour ago', 3600, false],
    ['60 s ahead of our clock', -60, true],
    ['further ahead of it', -60.001, false],
    ['a year ahead of it', -31_536_000, false],
  ])('%s is fresh: %s s, %s', (_when, seconds, fresh) => {
    expect(isFresh({ authenticatedAt: ago(seconds), acr: undefined }, RULE, NOW)).toBe(fresh);
  });

  test('that is not known, or whose time is not, is never fresh', () => {
    expect(isFresh(undefined, RULE, NOW)).toBe(false);
    expect(isFresh({ authenticatedAt: undefined, acr: 'gold' }, RULE, NOW)).toBe(false);
    expect(isFresh({ authenticatedAt: new Date(Number.NaN), acr: 'gold' }, RULE, NOW)).toBe(false);
  });

  test.each([
    ['gold', true],
    ['silver', true],
    ['bronze', false],
    ['Gold', false],
    ['gold silver', false],
    ['', false],
    [undefined, false],
  ])('of the strength %j is enough where gold or silver are asked for: %s', (acr, enough) => {
    expect(isFresh({ authenticatedAt: NOW, acr }, STRONG, NOW)).toBe(enough);
    expect(isFresh({ authenticatedAt: NOW, acr }, RULE, NOW)).toBe(true);
  });

  test('however strong, has to be fresh', () => {
    expect(isFresh({ authenticatedAt: ago(301), acr: 'gold' }, STRONG, NOW)).toBe(false);
  });
});

test('auth_time is a number of seconds since 1970, and nothing else says when', () => {
  expect(authenticatedAt(1_774_744_200)).toEqual(NOW);
  expect(authenticatedAt(1_774_744_200.5)).toEqual(new Date(NOW.getTime() + 500));
  for (const none of [undefined, null, '1774744200', -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, {}, [1]]) {
    expect(authenticatedAt(none)).toBeUndefined();
  }
});

test('what is asked for is said with the refusal', () => {
  expect(confirmationRequired(STRONG)).toMatchObject({
    code: 'confirmation_required',
    details: { freshSignIn: STRONG },
  });
});
