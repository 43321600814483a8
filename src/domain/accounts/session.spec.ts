import { describe, expect, test } from '@jest/globals';
import { confirmationRequired, freshnessProblem, isFresh, type PlatformSignIn, signInOf } from './session.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const RULE = { maxAgeSeconds: 300, acrValues: [] };
const STRONG = { maxAgeSeconds: 300, acrValues: ['gold', 'silver'] };
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

describe('isFresh', () => {
  test.each([
    ['just now', 0, true],
    ['300 s ago', 300, true],
    ['a moment longer ago', 300.001, false],
    ['an hour ago', 3600, false],
    ['60 s ahead of our clock', -60, true],
    ['further ahead of it', -60.001, false],
    ['a year ahead of it', -31_536_000, false],
  ])('for a sign-in %s (age %s s) is %s', (_when, seconds, fresh) => {
    expect(isFresh({ authenticatedAt: ago(seconds), acr: undefined }, RULE, NOW)).toBe(fresh);
  });

  test('refuses a missing sign-in, and one without a time', () => {
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
  ])('for the strength %j where gold or silver are required is %s', (acr, enough) => {
    expect(isFresh({ authenticatedAt: NOW, acr }, STRONG, NOW)).toBe(enough);
    expect(isFresh({ authenticatedAt: NOW, acr }, RULE, NOW)).toBe(true);
  });

  test.each<[string, PlatformSignIn | undefined, string | undefined]>([
    ['nothing', undefined, 'too_old'],
    ['a sign-in without a time', { authenticatedAt: undefined, acr: 'gold' }, 'too_old'],
    ['an old and weak sign-in', { authenticatedAt: ago(301), acr: 'bronze' }, 'too_old'],
    ['a weak sign-in', { authenticatedAt: NOW, acr: 'bronze' }, 'too_weak'],
    ['a sign-in that is fresh and strong', { authenticatedAt: NOW, acr: 'gold' }, undefined],
  ])('says what is wrong with %s', (_what, signIn, problem) => {
    expect(freshnessProblem(signIn, STRONG, NOW)).toBe(problem);
  });

  test('refuses an old sign-in of any strength', () => {
    expect(isFresh({ authenticatedAt: ago(301), acr: 'gold' }, STRONG, NOW)).toBe(false);
  });
});

test('reads auth_time of a token as seconds since 1970 and acr as a text, and takes nothing else for either', () => {
  expect(signInOf({ auth_time: 1_774_744_200, acr: 'gold' })).toEqual({ authenticatedAt: NOW, acr: 'gold' });
  const half = { authenticatedAt: new Date(NOW.getTime() + 500), acr: undefined };
  expect(signInOf({ auth_time: 1_774_744_200.5, acr: 2 })).toEqual(half);
  for (const none of [undefined, null, '1774744200', -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, {}, [1]]) {
    expect(signInOf({ auth_time: none })).toEqual({ authenticatedAt: undefined, acr: undefined });
  }
});

test('names the required sign-in in the refusal', () => {
  expect(confirmationRequired(STRONG)).toMatchObject({
    code: 'confirmation_required',
    details: { freshSignIn: STRONG },
  });
});
