import { expect, test } from '@jest/globals';
import { recordedLeak } from '../audit/leak-site.js';

const recorded = (details: string | null, reason = 'leaked') => recordedLeak({ reason, details });

test('recordedLeak reads where a leaked key was found', () => {
  expect(recorded('{"source":"scanner","url":"https://git.example/x"}')).toEqual({
    source: 'scanner',
    url: 'https://git.example/x',
  });
  expect(recorded('{"source":null,"url":null}')).toEqual({ source: null, url: null });
});

test('recordedLeak is null for other events and for events without valid details', () => {
  expect(recorded('{"source":"scanner","url":null}', 'owner')).toBeNull();
  expect(recorded(null)).toBeNull();
  expect(recorded('{"source":7,"url":["x"]}')).toEqual({ source: null, url: null });
  expect([recorded('nonsense'), recorded('{"actorKind":"administrator"}')]).toEqual([null, null]);
});
