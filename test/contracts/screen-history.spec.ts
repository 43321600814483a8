import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OWNER_EVENT_TYPES } from '#domain/audit/audit-event.js';
import { describeEvent, groupEvents } from '../../web/src/activity/events.js';
import type { AuditEvent } from '../../web/src/api/types.js';
import { activity } from '../../web/src/texts/english/activity.js';
import { admin } from '../../web/src/texts/english/admin.js';
import { endedBy, rejectedSince } from '../../web/src/key/status.js';
import { isAccepted, isNewAddress, usageOf, weekUntil } from '../../web/src/history/usage.js';

const at = (minute: number) => new Date(minute * 60_000).toISOString();

const refusal = (id: string, given: Partial<AuditEvent> = {}): AuditEvent => ({
  id,
  type: 'authentication.failed',
  at: at(0),
  keyId: 'key',
  reason: 'expired',
  count: 1,
  clientIp: '203.0.113.7',
  userAgent: 'curl/8.5.0',
  requestId: null,
  leak: null,
  previousName: null,
  ...given,
});

const sizes = (events: readonly AuditEvent[]) => groupEvents(events).map(({ event, count }) => [event.id, count]);

describe('groupEvents in the panel', () => {
  test('joins equal refusals that follow each other, with their number and the times of the newest and the oldest', () => {
    const events = [refusal('3', { at: at(9), count: 7 }), refusal('2', { at: at(5) }), refusal('1', { at: at(2) })];
    expect(groupEvents(events)).toEqual([{ event: events[0], since: at(2), count: 9 }]);
  });

  test.each<[string, Partial<AuditEvent>]>([
    ['key', { keyId: 'another' }],
    ['reason', { reason: 'revoked' }],
    ['address', { clientIp: '203.0.113.8' }],
    ['type', { type: 'api_key.expired' }],
  ])('keeps refusals apart that differ in their %s, even if equal ones surround them', (_, different) => {
    const events = [refusal('3'), refusal('2', different), refusal('1')];
    expect(sizes(events)).toEqual([
      ['3', 1],
      ['2', 1],
      ['1', 1],
    ]);
  });

  test('never joins changes of keys, however equal they look', () => {
    const events = ['2', '1'].map((id) => refusal(id, { type: 'api_key.rotated', reason: null }));
    expect(sizes(events)).toEqual([
      ['2', 1],
      ['1', 1],
    ]);
  });

  test('names the program only if it was the same one each time', () => {
    const [different] = groupEvents([refusal('2'), refusal('1', { userAgent: 'wget/1.21' })]);
    const [same] = groupEvents([refusal('2'), refusal('1')]);
    expect([different?.event.userAgent, same?.event.userAgent]).toEqual([null, 'curl/8.5.0']);
  });

  test('loses no request and keeps the order', () => {
    const events = fc.array(
      fc.record({
        type: fc.constantFrom<AuditEvent['type']>('authentication.failed', 'api_key.created'),
        reason: fc.constantFrom('expired', 'revoked'),
        count: fc.integer({ min: 1, max: 9 }),
      }),
    );
    fc.assert(
      fc.property(events, (made) => {
        const all = made.map((one, index) => refusal(String(index), one));
        const groups = groupEvents(all);
        const sum = (counts: readonly { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);
        expect(sum(groups)).toBe(sum(all));
        const ids = groups.map(({ event }) => Number(event.id));
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
      }),
    );
  });
});

describe('describeEvent in the panel', () => {
  const sentence = (event: Partial<AuditEvent>) => {
    const made = describeEvent(refusal('1', event), activity);
    return typeof made === 'string' ? made : made('CI deploy');
  };

  test.each(OWNER_EVENT_TYPES)('has words for %s, with a key and without', (type) => {
    const event = { type: type as AuditEvent['type'], reason: null };
    expect([sentence(event), sentence({ ...event, keyId: null })]).toEqual([
      expect.stringContaining('CI deploy'),
      expect.any(String),
    ]);
  });

  test('offers administrators every type of event as a filter', () => {
    expect(Object.keys(admin.audit.types).sort()).toEqual([...OWNER_EVENT_TYPES].sort());
  });

  test('tells a new name from a new note', () => {
    const type = 'api_key.renamed';
    expect([sentence({ type, previousName: 'Deploy' }), sentence({ type })]).toEqual([
      'Key CI deploy was renamed (before: Deploy)',
      'The note of key CI deploy was changed',
    ]);
  });

  test('says what is sure of a type or reason that only a newer service knows', () => {
    const type = 'constructor' as AuditEvent['type'];
    expect([
      sentence({ type }),
      sentence({ type, keyId: null }),
      sentence({ reason: 'toString' }),
      sentence({ reason: 'newer', keyId: null }),
      sentence({ type: 'api_key.revoked', reason: 'newer' }),
    ]).toEqual([
      'Other activity of key CI deploy',
      'Other activity',
      'CI deploy rejected',
      'Request rejected',
      'Key CI deploy was revoked',
    ]);
  });
});

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-03-29T13:00:00Z');
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString();

describe('usageOf in the panel', () => {
  test('has every day up to today, with the numbers of those that had requests, and their sums', () => {
    const counts = [
      { day: '2026-03-27', granted: 7, refused: 1 },
      { day: '2026-03-29', granted: 2, refused: 0 },
    ];
    expect(usageOf(counts, NOW, 4)).toEqual({
      days: [
        { day: '2026-03-26', granted: 0, refused: 0 },
        counts[0],
        { day: '2026-03-28', granted: 0, refused: 0 },
        counts[1],
      ],
      lines: [0, 2, 4, 6, 8],
      granted: 9,
      refused: 1,
    });
  });

  test('ends with the last day of the service, whose clock may be ahead', () => {
    const { days } = usageOf([{ day: '2026-03-30', granted: 1, refused: 0 }], NOW, 2);
    expect(days.map(({ day }) => day)).toEqual(['2026-03-29', '2026-03-30']);
  });

  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [212, [0, 100, 200, 300]],
    [3600, [0, 1000, 2000, 3000, 4000]],
  ])('has round numbers for a busiest day of %i requests', (granted, lines) => {
    expect(usageOf([{ day: '2026-03-29', granted, refused: 0 }], NOW, 90).lines).toEqual(lines);
  });

  test('has between one and four steps of 1, 2 or 5 times a power of ten, up to at least the busiest day', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.nat(2_000_000_000), (granted, refused) => {
        const { lines } = usageOf([{ day: '2026-03-29', granted, refused }], NOW, 90);
        const [zero, step, ...rest] = lines as [number, number, ...number[]];
        expect([zero, rest.length <= 3, lines.at(-1)! >= granted + refused]).toEqual([0, true, true]);
        expect(String(step)).toMatch(/^[125]0*$/);
        expect(lines).toEqual(lines.map((_, index) => index * step));
      }),
    );
  });
});

describe('isNewAddress in the panel', () => {
  test.each<[string, number, number, boolean]>([
    ['an address of the last week is new for an older key', 6.9, 8, true],
    ['an address from before the last week is not', 7.1, 60, false],
    ['no address is new for a key of the last week', 1, 6.9, false],
  ])('%s', (_, seen, created, isNew) => expect(isNewAddress(daysAgo(seen), daysAgo(created), NOW)).toBe(isNew));
});

describe('isAccepted in the panel', () => {
  test.each([
    ['without a denial', undefined, true],
    ['with a later denial', { at: daysAgo(1) }, true],
    ['with denied requests alone', { at: daysAgo(2) }, false],
  ])('of an address %s', (_, lastDenial, expected) => {
    expect(isAccepted({ lastAt: daysAgo(2), ...(lastDenial && { lastDenial }) })).toBe(expected);
  });
});

describe('the end of a key in the panel', () => {
  const refused = [...Array.from({ length: 26 }, () => 0), 1, 10, 100, 1000];

  test.each<[string, number, object]>([
    ['today', 0.1, { count: 1000, days: undefined }],
    ['yesterday', 1, { count: 1100, days: undefined }],
    ['29 days ago', 29, { count: 1111, days: undefined }],
    ['30 days ago, from when only a part of the numbers is known', 30, { count: 1111, days: 30 }],
    ['later today, by a clock that is ahead', -0.1, { count: 1000, days: undefined }],
  ])('counts the rejected requests since it ended %s', (_, days, counted) => {
    expect(rejectedSince(refused, daysAgo(days), NOW)).toEqual(counted);
  });

  test.each([
    ['expired', null, 'expired'],
    ['revoked', 'leaked', 'leaked'],
    ['revoked', 'of-a-newer-service', 'unknown'],
    ['revoked', null, 'unknown'],
  ] as const)('%s with the reason %s has the cause %s', (status, revokedReason, cause) => {
    expect(endedBy({ revokedReason }, status)).toBe(cause);
  });
});

describe('the last week of a key', () => {
  const DAY = 86_400_000;
  const END = Date.parse('2026-11-23T12:00:00.000Z');
  const ago = (days: number) => new Date(END - days * DAY).toISOString();
  const use = (clientIp: string, firstDaysAgo: number, lastDaysAgo: number) => ({
    clientIp,
    service: null,
    firstAt: ago(firstDaysAgo),
    lastAt: ago(lastDaysAgo),
  });
  const denied = { ...use('192.0.2.9', 1, 1), lastDenial: { at: ago(1), reason: 'revoked', operation: 'read' } };
  const days = [7, 6, 0].map((daysAgo) => ({ day: ago(daysAgo).slice(0, 10), granted: 10 ** daysAgo, refused: 5 }));

  test('counts accepted requests and their addresses, and names new addresses of a key that is older', () => {
    const uses = [use('192.0.2.1', 6, 1), denied, use('192.0.2.2', 2, 2), use('192.0.2.3', 60, 8)];
    const week = weekUntil({ uses, days, createdAt: ago(90) }, END);
    expect(week).toMatchObject({ requests: 1_000_001, addresses: 2, isAtLeast: false });
    expect(week.isNew.map(({ clientIp }) => clientIp)).toEqual(['192.0.2.2', '192.0.2.1']);
    expect(weekUntil({ uses, days, createdAt: ago(6.5) }, END).isNew).toEqual([]);
  });

  test('says that there may be more addresses once as many are listed as the service keeps', () => {
    const uses = [1, 2, 3, 4].map((n) => use(`192.0.2.${n}`, 60, n));
    expect(weekUntil({ uses: [...uses, denied], days, createdAt: ago(90) }, END)).toMatchObject({
      addresses: 4,
      isAtLeast: true,
    });
  });
});
