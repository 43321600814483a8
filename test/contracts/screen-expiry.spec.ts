import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dueExpiryNotice } from '#domain/notices/due-notices.js';
import { DAY_MS } from '#domain/time.js';
import { mailedDays } from '../../web/src/key/expiry.js';

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
