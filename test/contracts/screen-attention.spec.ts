import { describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../../web/src/api/types.js';
import { attention, markOf } from '../../web/src/attention/attention.js';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const DAY = 86_400_000;
const at = (days: number) => new Date(NOW + days * DAY).toISOString();

/** An active key, made 100 days ago, that ends in 80 days. */
function keyWith(given: Partial<ApiKey> & { readonly id: string }): ApiKey {
  return {
    name: `Key ${given.id}`,
    access: 'read-only',
    permissions: null,
    allowedNetworks: null,
    prefix: `lk_${given.id}…`,
    createdAt: at(-100),
    lastUsedAt: null,
    expiresAt: at(80),
    revokedAt: null,
    status: 'active',
    replaces: null,
    replacedBy: null,
    endsAt: null,
    graceSeconds: null,
    note: null,
    revokedReason: null,
    leak: null,
    recent: { granted: Array(30).fill(0), refused: Array(30).fill(0) },
    ...given,
  };
}

/** Rejected requests by how many days ago. */
const refused = (counts: Readonly<Record<number, number>>) => ({
  granted: Array<number>(30).fill(0),
  refused: Array.from({ length: 30 }, (_, day) => counts[29 - day] ?? 0),
});

/** Somebody reported it without saying where it was found. */
const REPORTED = { source: null, url: null };
const leaked = (daysAgo: number, given: Partial<ApiKey> = {}) =>
  keyWith({
    id: 'leaked',
    status: 'revoked',
    revokedReason: 'leaked',
    leak: REPORTED,
    revokedAt: at(-daysAgo),
    ...given,
  });
const expired = (daysAgo: number, given: Partial<ApiKey> = {}) =>
  keyWith({ id: 'expired', status: 'expired', expiresAt: at(-daysAgo), ...given });

const found = (...keys: ApiKey[]) => attention(keys, NOW).map(({ kind, key }) => `${kind} ${key.id}`);

describe('what needs attention', () => {
  test('is nothing for keys that work for long, and for keys that a person revoked', () => {
    const owners = ['owner', 'administrator', 'platform', 'purged', 'rotated'].map((revokedReason) =>
      keyWith({ id: revokedReason, status: 'revoked', revokedReason, revokedAt: at(-1), recent: refused({ 0: 9 }) }),
    );
    expect(found(keyWith({ id: 'fine' }), ...owners)).toEqual([]);
  });

  test('is a key that ends unless it is used, and of a rotation only the new one', () => {
    const idleEndsAt = at(5);
    expect(found(keyWith({ id: 'idle', idleEndsAt }))).toEqual(['idling idle']);
    const next = keyWith({ id: 'next', replaces: 'old', graceSeconds: 60, idleEndsAt });
    const old = keyWith({ id: 'old', replacedBy: 'next', expiresAt: at(6), idleEndsAt });
    expect(found(next, old)).toEqual(['idling next']);
  });

  test('is a key that leaked within 30 days', () => {
    expect(found(leaked(29.9))).toEqual(['leaked leaked']);
    expect(found(leaked(30.1))).toEqual([]);
  });

  test('is a key that its owner ended as leaked only if it was used, and none that such a key had replaced', () => {
    const ended = leaked(1, { id: 'ended', name: 'CI deploy', createdAt: at(-2), leak: null });
    expect(found(ended, leaked(3, { name: 'CI deploy' }))).toEqual([]);
    // It may have been used by a stranger.
    expect(found({ ...ended, lastUsedAt: at(-1) }, leaked(3, { name: 'CI deploy' }))).toEqual(['check ended']);
    const other = { ...ended, leak: REPORTED };
    expect(found(other, leaked(3, { name: 'CI deploy' }))).toEqual(['leaked ended', 'leaked leaked']);
  });

  test.each([
    ['an active key that was made later with the same name', { createdAt: at(-1) }, true],
    ['an active key with the same name that is older', { createdAt: at(-200) }, false],
    ['a later key with another name', { createdAt: at(-1), name: 'Another' }, false],
    ['a later key that has ended too', { createdAt: at(-1), status: 'revoked', revokedReason: 'owner' }, false],
  ] as const)('counts as replaced, or not, next to %s', (_, given, isReplaced) => {
    const other = keyWith({ id: 'other', name: 'CI deploy', ...given });
    expect(found(other, leaked(1, { name: 'CI deploy' }))).toEqual(isReplaced ? [] : ['leaked leaked']);
    const gone = expired(1, { name: 'CI deploy', recent: refused({ 0: 1 }) });
    expect(found(other, gone)).toEqual(isReplaced ? [] : ['expired expired']);
  });

  test('counts a key as replaced that has an active successor, or whose successor has one, by any name', () => {
    const next = keyWith({ id: 'next', replaces: 'leaked' });
    expect(found(next, leaked(1, { replacedBy: 'next' }))).toEqual([]);
    const ended = { ...next, status: 'revoked' as const, revokedReason: 'owner', revokedAt: at(-1) };
    expect(found(ended, leaked(1, { replacedBy: 'next' }))).toEqual(['leaked leaked']);
    const last = keyWith({ id: 'last', replaces: 'next' });
    expect(found(last, { ...ended, replacedBy: 'last' }, leaked(1, { replacedBy: 'next' }))).toEqual([]);
  });

  test('is a key that expired within 30 days, if requests were rejected since the day of its end', () => {
    const [concern] = attention([expired(3, { recent: refused({ 0: 200, 3: 12, 4: 1000 }) })], NOW);
    expect(concern).toMatchObject({ kind: 'expired', at: at(-3), rejected: 212 });
    expect(found(expired(3, { recent: refused({ 4: 1000 }) }))).toEqual([]);
    expect(found(expired(29.9, { recent: refused({ 0: 1 }) }))).toEqual(['expired expired']);
    expect(found(expired(30.1, { recent: refused({ 0: 1 }) }))).toEqual([]);
  });

  test('is a key that expired, if it was used in the 7 days before its end', () => {
    expect(found(expired(3, { lastUsedAt: at(-9.9) }))).toEqual(['expired expired']);
    expect(found(expired(3, { lastUsedAt: at(-10.1) }))).toEqual([]);
    expect(found(expired(3))).toEqual([]);
  });

  test('is a key that ended because it was idle, if requests were rejected since', () => {
    const idle = keyWith({ id: 'idle', status: 'revoked', revokedReason: 'idle', revokedAt: at(-2) });
    expect(found(idle)).toEqual([]);
    expect(found({ ...idle, recent: refused({ 1: 5 }) })).toEqual(['idle idle']);
  });

  test('is a key that expires while it is on the screen', () => {
    expect(found(keyWith({ id: 'open', expiresAt: at(-0.001), lastUsedAt: at(-1) }))).toEqual(['expired open']);
  });

  test('is an active key that expires within 7 days, but not one that was made for so short a time', () => {
    expect(found(keyWith({ id: 'soon', expiresAt: at(6.9) }))).toEqual(['expiring soon']);
    expect(found(keyWith({ id: 'later', expiresAt: at(7.1) }))).toEqual([]);
    const short = { id: 'short', createdAt: at(-1), expiresAt: at(6) };
    expect(found(keyWith(short))).toEqual([]);
    expect(found(keyWith({ ...short, createdAt: at(-7) }))).toEqual(['expiring short']);
  });

  test('is a rotation whose new key is not used while the old one expires within 7 days', () => {
    const next = keyWith({ id: 'next', createdAt: at(-1), replaces: 'old' });
    const old = keyWith({ id: 'old', replacedBy: 'next', expiresAt: at(2) });
    expect(found(next, old)).toEqual(['unused old']);
    expect(attention([next, old], NOW)).toMatchObject([{ at: at(2), rotation: { old, next } }]);
    expect(found(next, { ...old, expiresAt: at(8) })).toEqual([]);
    expect(found({ ...next, lastUsedAt: at(-0.5) }, { ...old, endsAt: at(0.5) })).toEqual([]);
    expect(found({ ...next, expiresAt: at(6) }, { ...old, expiresAt: at(8) })).toEqual([]);
  });

  test('is an active key that may write and only reads, and comes last', () => {
    const reads = keyWith({ id: 'reads', couldNarrow: 'reading' });
    expect(found(reads, keyWith({ id: 'soon', expiresAt: at(3) }))).toEqual(['expiring soon', 'reading reads']);
    expect(found({ ...reads, couldNarrow: 'permissions' })).toEqual([]);
    expect(found({ ...reads, pausedUntil: at(0.5) })).toEqual([]);
    expect(found({ ...reads, status: 'revoked', revokedReason: 'owner' })).toEqual([]);
    expect(
      found({ ...reads, replacedBy: 'next' }, keyWith({ id: 'next', createdAt: at(-1), replaces: 'reads' })),
    ).toEqual([]);
  });

  test('is not what somebody has handled, until it happens again', () => {
    const keys = [
      leaked(2, { id: 'leaked' }),
      expired(3, { id: 'rejected', recent: refused({ 2: 4 }) }),
      keyWith({ id: 'expiring', expiresAt: at(3) }),
      keyWith({ id: 'seen', expiresAt: at(4), createdBy: { id: 'bo', displayName: 'Bo', isFormerManager: true } }),
      keyWith({ id: 'idling', idleEndsAt: at(5) }),
    ];
    const marked = (list: ApiKey[]) =>
      list.map((key) => ({
        ...key,
        handled: attention(list, NOW).flatMap((each) => (each.key.id === key.id ? [markOf(each, NOW)] : [])),
      }));
    const handled = marked(keys);
    expect(handled.map(({ handled: [mark] }) => mark)).toEqual([
      'leaked 2026-11-21',
      'expired 2026-11-21',
      'expiring 2026-11-26',
      'seen 2026-08-15',
      'idling 2026-11-28',
    ]);
    // The key that a former manager knows expires as well.
    expect(found(...handled)).toEqual(['expiring seen']);
    const again = handled.map(
      (key) =>
        ({ rejected: { ...key, recent: refused({ 1: 1, 2: 4 }) }, idling: { ...key, idleEndsAt: at(6) } })[key.id] ??
        key,
    );
    expect(found(...again)).toEqual(['expired rejected', 'expiring seen', 'idling idling']);
  });

  test('comes most urgent first: a leak, what is broken, what will be, and what was in use', () => {
    expect(
      found(
        expired(2, { id: 'in use', lastUsedAt: at(-3) }),
        keyWith({ id: 'in 5 days', expiresAt: at(5) }),
        keyWith({ id: 'in 3 days', expiresAt: at(3) }),
        expired(9, { id: 'broken earlier', recent: refused({ 0: 1 }) }),
        expired(1, { id: 'broken', recent: refused({ 0: 1 }) }),
        leaked(20),
      ),
    ).toEqual([
      'leaked leaked',
      'expired broken',
      'expired broken earlier',
      'expiring in 3 days',
      'expiring in 5 days',
      'expired in use',
    ]);
  });
});
