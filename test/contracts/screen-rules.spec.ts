import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_KEY_DAYS } from '#domain/accounts/entitlements.js';
import { MAX_ALLOWED_NETWORKS } from '#domain/keys/allowed-networks.js';
import { MAX_KEY_PERMISSIONS } from '#domain/keys/key-restrictions.js';
import * as keyRules from '#domain/keys/key-rules.js';
import { ADDRESSES_KEPT, USAGE_KEPT_DAYS } from '#domain/usage/key-history.js';
import { dueExpiryNotice } from '#domain/notices/due-notices.js';
import { DAY_MS } from '#domain/time.js';
import { linkOfLeak } from '#domain/audit/event-details.js';
import { statusAt as decided } from '#domain/keys/key-status.js';
import * as screen from '../../web/src/rules.js';
import { readChallenge } from '../../web/src/api/problem.js';
import { endOf, mailedDays, statusAt } from '../../web/src/key/status.js';
import { leakPlace } from '../../web/src/key/leak.js';
import { dayIn, daysFrom, timesOf } from '../../web/src/admin/days.js';
import { ACTIVITY_FILTERS, placeOf, searchOf, START, STATUS_FILTERS } from '../../web/src/base/place.js';

const domain = {
  ...keyRules,
  MAX_KEY_DAYS,
  MAX_ALLOWED_NETWORKS,
  MAX_KEY_PERMISSIONS,
  USAGE_KEPT_DAYS,
  ADDRESSES_KEPT,
};

test.each(Object.entries(screen))('the settings screen uses the same %s as the service: %i', (name, value) => {
  expect(domain).toHaveProperty(name, value);
});

test('the settings screen has rules to compare', () => expect(Object.keys(screen)).toContain('MAX_NAME_LENGTH'));

describe('readChallenge in the panel, for a challenge of RFC 9470', () => {
  test.each([
    // The challenges that test/api/http-confirmation.spec.ts expects.
    ['Bearer error="insufficient_user_authentication", max_age="300"', { maxAgeSeconds: 300, acrValues: [] }],
    [
      'Bearer error="insufficient_user_authentication", max_age="60", acr_values="urn:example:gold phr"',
      { maxAgeSeconds: 60, acrValues: ['urn:example:gold', 'phr'] },
    ],
    // As other implementations write it.
    ['Bearer max_age=0, acr_values=""', { maxAgeSeconds: 0, acrValues: [] }],
  ])('%s', (header, wanted) => expect(readChallenge(header)).toEqual(wanted));

  test.each(['Bearer', null])('requires a sign-in now without further details: %j', (header) =>
    expect(readChallenge(header)).toEqual({ maxAgeSeconds: 0, acrValues: [] }),
  );
});

test('the settings screen announces exactly the mails that the service sends before a key expires', () => {
  const noticeDays = fc.uniqueArray(fc.integer({ min: 1, max: 364 }), { maxLength: 5 });
  let announced = 0;
  fc.assert(
    fc.property(noticeDays, fc.integer({ min: 1, max: 365 }), (days, lifetimeDays) => {
      const createdAt = new Date('2026-03-01T12:00:00Z');
      const expiresAt = new Date(createdAt.getTime() + lifetimeDays * DAY_MS);
      const isSent = (each: number) => {
        const now = new Date(expiresAt.getTime() - each * DAY_MS);
        return dueExpiryNotice({ createdAt, expiresAt, endsAt: null }, days, undefined, now) === each;
      };
      const sent = days.filter(isSent);
      announced += sent.length;
      expect(mailedDays(days, lifetimeDays)).toEqual(sent.toSorted((one, other) => other - one));
    }),
  );
  expect(announced).toBeGreaterThan(0);
});

test.each([
  ['https://git.example/x', true],
  ['https://git.example/ü?a=<b>&c="d"#e', true],
  ['HTTPS://git.example/x', false],
  ['http://git.example/x', false],
  ['https:git.example', false],
  ['https://', false],
  ['https://ada@git.example/', false],
  ['https://:secret@git.example/', false],
  ['javascript:alert(1)//https://', false],
  ['//git.example/x', false],
  ['page 7', false],
  [null, false],
])('mails and the screen agree on whether the address of a leak is a link: %s', (url, isLink) => {
  const href = linkOfLeak(url);
  expect(href !== undefined).toBe(isLink);
  expect(leakPlace({ source: null, url }).href).toBe(href);
});

const instant = fc.integer({ min: 0, max: 6 }).map((hour) => new Date(hour * 3_600_000));

test('an open screen ends an active key when the service does, and in the same way', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(instant, instant, fc.option(instant), (now, expiresAt, ends) => {
      const endsAt = ends && ends > expiresAt ? expiresAt : ends;
      const shown = {
        status: 'active',
        expiresAt: expiresAt.toISOString(),
        endsAt: endsAt?.toISOString() ?? null,
      } as const;
      const wanted = decided(now, { expiresAt, endsAt, revokedAt: null, expiredAt: null });
      seen.add(wanted);
      expect(statusAt(shown, now.getTime())).toBe(wanted);
      expect(Date.parse(endOf(shown)) <= now.getTime()).toBe(wanted !== 'active');
    }),
  );
  expect(seen).toEqual(new Set(['active', 'expired', 'revoked']));
});

test.each(['expired', 'revoked'] as const)('an open screen keeps an ended key %s', (status) => {
  const shown = { status, expiresAt: '2026-03-29T00:00:00.000Z', endsAt: null };
  expect([0, Infinity].map((now) => statusAt(shown, now))).toEqual([status, status]);
});

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('placeOf in the panel', () => {
  const subjects = [undefined, 'bot|ä/?&=# 1'].flatMap((account) =>
    [undefined, KEY].map((keyId) => ({ account, keyId })),
  );
  const places = subjects.flatMap((subject) => [
    ...STATUS_FILTERS.map((status) => ({ tab: 'keys' as const, status, ...subject })),
    ...ACTIVITY_FILTERS.map((events) => ({ tab: 'activity' as const, events, ...subject })),
  ]);

  test.each(places)('reads the address that was written for %j', (place) => {
    expect(placeOf(searchOf(place))).toEqual(place);
  });

  test('reads a different address for each place', () => {
    expect(new Set(places.map(searchOf)).size).toBe(places.length);
    expect(searchOf(START)).toBe('');
  });

  test.each([
    ['?status=expired', 'ended'],
    ['?status=revoked', 'ended'],
    ['?status=all', 'all'],
    ['?status=active', 'active'],
  ])('still understands %s, an address of earlier releases', (search, status) => {
    expect(placeOf(`${search}&key=${KEY}`)).toEqual({ tab: 'keys', status, keyId: KEY });
  });

  test.each([
    ['', { name: '', access: 'read-only', permissions: null }],
    [
      '&name=x&access=read-and-write&permissions=a:read,b:write&days=7',
      { permissions: ['a:read', 'b:write'], days: 7 },
    ],
    ['&permissions=', { permissions: [] }],
    ['&permissions=a:read,%20b:write,,a:read%0A', { permissions: ['a:read', 'b:write'] }],
    ['&access=all&days=1e3', { access: 'read-only', days: undefined }],
  ])('reads what a link to the form for a new key suggests: %j', (more, suggestion) => {
    expect(placeOf(`?new${more}`)).toMatchObject({ tab: 'keys', suggestion });
  });

  test.each([
    '',
    '?',
    '?tab=keys',
    '?tab=nowhere&events=all',
    '?status=lost',
    '?key=x',
    `?key=${KEY}x`,
    '?key=',
    '?account=',
  ])('returns the start for an unknown place: %j', (search) => expect(placeOf(search)).toEqual(START));
});

describe('days in the panel of administrators', () => {
  test.each(['2026-02-28', '2024-02-29', '2026-12-31'])('%s is a day', (text) => expect(dayIn(text)).toBe(text));
  test.each([null, '', '2026-02-29', '2026-13-01', '2026-1-1', '2026-01-01T00:00', 'today'])('%j is none', (text) =>
    expect(dayIn(text)).toBeUndefined(),
  );

  test('are the whole days, from the first midnight to the one after the last', () => {
    const midnight = (month: number, day: number) => new Date(2026, month - 1, day).toISOString();
    expect(timesOf({ from: '2026-03-28', until: '2026-03-29' })).toEqual({
      from: midnight(3, 28),
      before: midnight(3, 30),
    });
    expect(timesOf({ until: '2026-12-31' })).toEqual({ before: midnight(12, 32) });
    expect(timesOf({})).toEqual({});
  });

  test('are the next ones', () => {
    expect(daysFrom(new Date(2026, 11, 15), 30)).toEqual({ from: '2026-12-15', until: '2027-01-14' });
  });
});
