import { describe, expect, test } from '@jest/globals';
import { ACTIVITY_FILTERS, placeOf, searchOf, START, STATUS_FILTERS } from '../../web/src/panel/place.js';

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
