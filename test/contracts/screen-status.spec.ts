import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statusAt as decided } from '#domain/keys/key-status.js';
import { endOf, statusAt } from '../../web/src/key/status.js';

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
