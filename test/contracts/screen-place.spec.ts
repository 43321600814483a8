import { describe, expect, test } from '@jest/globals';
import { ACTIVITY_FILTERS, placeOf, searchOf, START, STATUS_FILTERS } from '../../web/src/panel/place.js';

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe("a person's place in the panel", () => {
  const places = [undefined, KEY].flatMap((keyId) => [
    ...STATUS_FILTERS.map((status) => ({ tab: 'keys' as const, status, keyId })),
    ...ACTIVITY_FILTERS.map((events) => ({ tab: 'activity' as const, events, keyId })),
  ]);

  test.each(places)('comes back from the address that it was written into: %j', (place) => {
    expect(placeOf(searchOf(place))).toEqual(place);
  });

  test('has an address of its own', () => {
    expect(new Set(places.map(searchOf)).size).toBe(places.length);
    expect(searchOf(START)).toBe('');
  });

  test.each(['', '?', '?tab=keys', '?tab=nowhere&events=all', '?status=lost', '?key=x', `?key=${KEY}x`, '?key='])(
    'is the start where the address names none that there is: %j',
    (search) => expect(placeOf(search)).toEqual(START),
  );
});
