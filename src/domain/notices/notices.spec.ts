import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { OwnerKeys } from '../keys/owner-keys.js';
import { DAY_MS, HOUR_MS } from '../time.js';
import { channelsOf, NOTICE_TYPES, noticeData, type NoticeType, noticesOfChange } from './key-notice.js';
import { dueExpiryNotice, dueNotice, noticeDays } from './due-notices.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const keyString = KeyString.generate('lk');
const order = { id: randomUUID(), ownerId: 'u1', name: ' CI ', access: 'read-only', expiresInDays: 1 } as const;
const key = ApiKey.issue(order, keyString, NOW);
const always = {
  sequence: 3,
  keyId: key.id,
  ownerId: 'u1',
  name: 'CI',
  prefix: `lk_${keyString.publicPart.slice(0, 12)}…`,
  expiresAt: '2026-03-30T00:30:00.000Z',
};

type DueArguments = Parameters<typeof dueNotice> extends [unknown, ...infer Rest] ? Rest : never;

describe('noticeData', () => {
  test('contains what identifies the key, and no optional fields', () => {
    expect(noticeData({ type: 'api_key.expired', key, clientIp: null }, 3)).toEqual(always);
  });

  test('contains the optional fields of the notice', () => {
    const optional = { reason: 'rotated', replacesKeyId: 'k0', clientIp: '192.0.2.7' } as const;
    expect(noticeData({ type: 'api_key.revoked', key, ...optional }, 3)).toEqual({ ...always, ...optional });
  });

  test('contains the end that a successor gives the key', () => {
    const ending = ApiKey.restore({ ...key.snapshot(), endsAt: NOW });
    const data = noticeData({ type: 'api_key.used_from_new_network', key: ending }, 3);
    expect(data).toEqual({ ...always, endsAt: NOW.toISOString() });
  });

  test('contains the end of an idle key', () => {
    const data = noticeData({ type: 'api_key.idle', key, endsAt: NOW }, 3);
    expect(data).toEqual({ ...always, endsAt: NOW.toISOString() });
  });

  test('contains who found a leaked key and where, as far as that is known', () => {
    const leakOf = (source: string | null, url: string | null) =>
      noticeData({ type: 'api_key.leaked', key, leak: { source, url } }, 3).leak;
    const url = 'https://git.example/x';
    expect(leakOf('scanner', url)).toEqual({ source: 'scanner', url });
    expect(leakOf(null, url)).toEqual({ url });
    expect(leakOf('scanner', null)).toEqual({ source: 'scanner' });
    expect(noticeData({ type: 'api_key.leaked', key, leak: { source: null, url: null } }, 3)).toEqual(always);
  });

  test('masks key strings in what a reporter wrote', () => {
    const text = keyString.reveal();
    const leak = { source: `found ${text}`, url: `https://git.example/x?key=${text}` };
    const masked = `lk_${keyString.publicPart}.…`;
    expect(noticeData({ type: 'api_key.leaked', key, leak }, 3).leak).toEqual({
      source: `found ${masked}`,
      url: `https://git.example/x?key=${masked}`,
    });
  });

  test('contains neither the secret nor the digest', () => {
    const text = JSON.stringify(noticeData({ type: 'api_key.created', key }, 1));
    expect(text).not.toContain(keyString.publicPart);
    expect(text).not.toContain(keyString.reveal().split('.')[1]);
    expect(text).not.toContain(key.snapshot().digest.toString('hex'));
  });
});

describe('channelsOf', () => {
  const MAILED: NoticeType[] = [
    'api_key.created',
    'api_key.expiring',
    'api_key.leaked',
    'api_key.used_from_new_network',
    'api_key.idle',
  ];
  test.each(NOTICE_TYPES)('sends %s to the webhook, and by mail if it matters to people', (type) => {
    const mail = MAILED.includes(type) ? ['mail'] : [];
    expect(channelsOf(type, { webhook: true, mail: true })).toEqual(['webhook', ...mail]);
    expect(channelsOf(type, { webhook: false, mail: true })).toEqual(mail);
    expect(channelsOf(type, { webhook: true, mail: false })).toEqual(['webhook']);
    expect(channelsOf(type, { webhook: false, mail: false })).toEqual([]);
  });
});
const LEAK = { source: 'scanner', url: 'https://git.example/x' };

describe('noticesOfChange', () => {
  test('names the address of the request that created a key', () => {
    expect(noticesOfChange({ key, became: 'created' }, '192.0.2.7')).toEqual([
      { type: 'api_key.created', key, clientIp: '192.0.2.7' },
    ]);
  });

  test('announces the new key and the rotation', () => {
    const next = key.replaceBy({ id: randomUUID(), expiresInDays: 1, graceSeconds: 0, policy: POLICY }, keyString, NOW);
    const fields = { key: next, clientIp: null, replacesKeyId: key.id };
    expect(noticesOfChange({ key: next, became: 'created' }, null)).toEqual([
      { type: 'api_key.created', ...fields },
      { type: 'api_key.rotated', ...fields },
    ]);
    expect(noticesOfChange({ key, became: 'rotated' }, null)).toEqual([]);
    expect(noticesOfChange({ key: next, became: 'used', replaced: key }, null)).toEqual([]);
  });

  test('announces an expiry without other fields', () => {
    expect(noticesOfChange({ key, became: 'expired' }, '192.0.2.7', LEAK)).toEqual([{ type: 'api_key.expired', key }]);
  });

  test.each(['owner', 'administrator', 'platform', 'purged'] as const)(
    'announces a revocation by %s with the reason',
    (reason) => {
      const revoked = { type: 'api_key.revoked', key, reason };
      expect(noticesOfChange({ key, became: 'revoked', reason }, null, LEAK)).toEqual([revoked]);
    },
  );

  test('announces the revocation and the leak, both with where the key was found', () => {
    const change = { key, became: 'revoked', reason: 'leaked' } as const;
    expect(noticesOfChange(change, null)).toEqual([
      { type: 'api_key.revoked', key, reason: 'leaked' },
      { type: 'api_key.leaked', key },
    ]);
    expect(noticesOfChange(change, null, LEAK)).toEqual([
      { type: 'api_key.revoked', key, reason: 'leaked', leak: LEAK },
      { type: 'api_key.leaked', key, leak: LEAK },
    ]);
  });
});

const BORN = new Date('2026-03-01T12:00:00Z');
const after = (days: number) => new Date(BORN.getTime() + days * DAY_MS);

const issued = (expiresInDays: number) =>
  ApiKey.issue(
    { id: randomUUID(), ownerId: 'ada', name: 'CI', access: 'read-only', expiresInDays },
    KeyString.generate('lk'),
    BORN,
  );

describe('api_key.expiring', () => {
  /** The notice that is due for a key with this lifetime when it has so many days left. */
  function due(lifetimeDays: number, leftDays: number, days = [30, 7, 1], sentDays?: number) {
    const expiresAt = after(lifetimeDays);
    const now = new Date(expiresAt.getTime() - leftDays * DAY_MS);
    return dueExpiryNotice({ createdAt: BORN, expiresAt, endsAt: null }, days, sentDays, now);
  }

  test.each([
    [90, undefined, undefined],
    [30.001, undefined, undefined],
    [30, undefined, 30],
    [29, 30, undefined],
    [8, undefined, 30],
    [7, 30, 7],
    [7, undefined, 7],
    [5, 7, undefined],
    [1, 7, 1],
    [1, 30, 1],
    [0.5, 1, undefined],
    [0.001, undefined, 1],
    [0, undefined, undefined],
    [-1, undefined, undefined],
  ])('of a key of 90 days: with %d days left and the notice for %p days sent, the one for %p is due', (...row) => {
    const [left, sent, expected] = row;
    expect(due(90, left, undefined, sent)).toBe(expected);
  });

  test('is never due without notice days', () => expect(due(90, 1, [])).toBeUndefined());

  test('is not due again for days that were set when an earlier notice was sent', () => {
    expect(due(90, 10, [14], 14)).toBeUndefined();
    expect(due(90, 10, [14], 10)).toBeUndefined();
    expect(due(90, 10, [14], 15)).toBe(14);
  });

  test('is not due for a key that ends because of its successor', () => {
    const expiresAt = after(90);
    const now = after(89);
    for (const endsAt of [new Date(now.getTime() + HOUR_MS), expiresAt]) {
      expect(dueExpiryNotice({ createdAt: BORN, expiresAt, endsAt }, [1], undefined, now)).toBeUndefined();
    }
  });

  test.each([
    [60, 30, 30],
    [59, 30, undefined],
    [14, 7, 7],
    [13, 7, undefined],
    [2, 1, 1],
    [1, 1, undefined],
  ])(
    'of a key of %d days is due for %d days only if that is at most half of its lifetime',
    (lifetime, left, expected) => {
      expect(due(lifetime, left)).toBe(expected);
    },
  );

  test('names the key and the days that it is about', () => {
    const key = issued(90);
    const rule = (...due: DueArguments) => dueNotice('api_key.expiring', ...due);
    const candidate = { key, replaced: undefined, sentDays: undefined };
    expect(rule(candidate, [30, 7], after(84))).toEqual({ notice: { type: 'api_key.expiring', key }, days: 7 });
    expect(rule({ ...candidate, sentDays: 7 }, [30, 7], after(84))).toBeUndefined();
  });

  describe('whenever the job runs', () => {
    const dayLists = fc.uniqueArray(fc.integer({ min: 1, max: 364 }), { maxLength: 5 });
    const lifetimes = fc.integer({ min: 1, max: 365 });
    /** Hours before the expiry at which the job runs: every hour, or after a week of standstill or suspension. */
    const runs = fc
      .array(fc.integer({ min: -48, max: 366 * 24 }), { maxLength: 60 })
      .map((hours) => hours.toSorted((one, other) => other - one));

    /** The notices that these runs send, each with the days that are left by then. */
    function sentBy(days: number[], lifetimeDays: number, hoursBefore: number[]) {
      const sent: { days: number; left: number }[] = [];
      for (const left of hoursBefore
        .map((hours) => (hours * HOUR_MS) / DAY_MS)
        .filter((each) => each <= lifetimeDays)) {
        const dueDays = due(lifetimeDays, left, days, sent.at(-1)?.days);
        if (dueDays !== undefined) sent.push({ days: dueDays, left });
      }
      return sent;
    }

    test('each number of days gets at most one notice, in falling order, within the days and before the expiry', () => {
      fc.assert(
        fc.property(dayLists, lifetimes, runs, (days, lifetime, hours) => {
          const sent = sentBy(days, lifetime, hours);
          const sentDays = sent.map((each) => each.days);
          expect(sentDays).toEqual([...new Set(sentDays)].sort((one, other) => other - one));
          for (const notice of sent) {
            expect(days).toContain(notice.days);
            expect(notice.days).toBeLessThanOrEqual(lifetime / 2);
            expect(notice.left).toBeLessThanOrEqual(notice.days);
            expect(notice.left).toBeGreaterThan(0);
          }
        }),
      );
    });

    test('the last run has sent the fewest days that were reached, unless they are more than half of the lifetime', () => {
      fc.assert(
        fc.property(dayLists, lifetimes, runs, (days, lifetime, hours) => {
          const last = hours.findLast((each) => each > 0 && each / 24 <= lifetime);
          fc.pre(last !== undefined);
          const reached = days.filter((each) => last! / 24 <= each);
          const fewest = reached.toSorted((one, other) => one - other)[0];
          const expected = fewest !== undefined && fewest <= lifetime / 2 ? fewest : undefined;
          expect(sentBy(days, lifetime, hours).at(-1)?.days).toBe(expected);
        }),
      );
    });

    test('one run sends one notice, however many days were reached since the last run', () => {
      expect(sentBy([30, 7, 1], 90, [40 * 24, 5])).toEqual([{ days: 1, left: 5 / 24 }]);
    });
  });
});

describe('api_key.rotation_unused', () => {
  const days = noticeDays('api_key.rotation_unused', []);
  const rule = (...due: DueArguments) => dueNotice('api_key.rotation_unused', ...due);

  function rotation() {
    const replaced = issued(30);
    const keys = new OwnerKeys([replaced]);
    const rotated = { id: randomUUID(), graceSeconds: 3600, expiresInDays: 20, policy: POLICY };
    const key = keys.rotate(replaced.id, rotated, KeyString.generate('lk'), BORN) as ApiKey;
    return { key, replaced, keys, sentDays: undefined };
  }

  test.each([
    [0, false],
    [6.999, false],
    [7, true],
    [19.999, true],
    [20, false],
  ])('after %d days is due: %p', (passed, expected) => {
    expect(rule(rotation(), days, after(passed)) !== undefined).toBe(expected);
  });

  test('names both keys, and is sent once', () => {
    const { key, replaced } = rotation();
    const notice = { type: 'api_key.rotation_unused', key, replacesKeyId: replaced.id };
    expect(rule({ key, replaced, sentDays: undefined }, days, after(8))).toEqual({ notice, days: 7 });
    expect(rule({ key, replaced, sentDays: 7 }, days, after(8))).toBeUndefined();
  });

  test('is not due once the new key was used', () => {
    const { keys, ...candidate } = rotation();
    keys.firstUsed(candidate.key.id, after(6.99));
    expect(rule(candidate, days, after(7))).toBeUndefined();
  });

  test.each(['key', 'replaced'] as const)('is not due once the %s has ended', (which) => {
    const candidate = rotation();
    candidate[which].revoke(after(1));
    expect(rule(candidate, days, after(7))).toBeUndefined();
  });

  test('is not due for a key that replaces no other, or another one', () => {
    const candidate = rotation();
    expect(rule({ ...candidate, replaced: undefined }, days, after(7))).toBeUndefined();
    expect(rule({ ...candidate, replaced: rotation().replaced }, days, after(7))).toBeUndefined();
  });

  test('is never due without notice days', () => expect(rule(rotation(), [], after(8))).toBeUndefined());
});
