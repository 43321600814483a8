import { describe, expect, test } from '@jest/globals';
import { readChallenge } from '../../web/src/api/problem.js';

describe('readChallenge in the panel, for a challenge of RFC 9470', () => {
  test.each([
    // The challenges that test/api/http-fresh-sign-in.spec.ts expects.
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
