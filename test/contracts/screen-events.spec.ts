import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OWNER_EVENT_TYPES } from '#domain/audit/audit-event.js';
import { describeEvent } from '../../web/src/activity/events.js';
import { groupEvents } from '../../web/src/activity/events.js';
import type { AuditEvent } from '../../web/src/api/types.js';
import { activity } from '../../web/src/texts/english/activity.js';
import { admin } from '../../web/src/texts/english/admin.js';

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
