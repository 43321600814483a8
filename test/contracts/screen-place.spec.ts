import { describe, expect, test } from '@jest/globals';
import { dayIn, daysFrom, monthOf, timesOf } from '../../web/src/admin/days.js';
import { ACTIVITY_FILTERS, placeOf, searchOf, START, STATUS_FILTERS } from '../../web/src/base/place.js';

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

  test('are those of a month, or the next ones', () => {
    expect(monthOf(new Date(2024, 1, 29, 23, 59))).toEqual({ from: '2024-02-01', until: '2024-02-29' });
    expect(monthOf(new Date(2026, 11, 1))).toEqual({ from: '2026-12-01', until: '2026-12-31' });
    expect(daysFrom(new Date(2026, 11, 15), 30)).toEqual({ from: '2026-12-15', until: '2027-01-14' });
  });
});
