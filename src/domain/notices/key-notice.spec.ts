import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { POLICY } from '#test/support/application/calls.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { channelsOf, noticeData, NOTICE_TYPES, type NoticeType } from './key-notice.js';
import { noticesOfChange } from './notices-of-change.js';

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

const NOBODY = { clientIp: null };
const LEAK = { source: 'scanner', url: 'https://git.example/x' };

describe('noticesOfChange', () => {
  test('names the address of the request that created a key', () => {
    expect(noticesOfChange({ key, became: 'created' }, { clientIp: '192.0.2.7' })).toEqual([
      { type: 'api_key.created', key, clientIp: '192.0.2.7' },
    ]);
  });

  test('announces the new key and the rotation', () => {
    const next = key.replaceBy({ id: randomUUID(), expiresInDays: 1, graceSeconds: 0, policy: POLICY }, keyString, NOW);
    const fields = { key: next, clientIp: null, replacesKeyId: key.id };
    expect(noticesOfChange({ key: next, became: 'created' }, NOBODY)).toEqual([
      { type: 'api_key.created', ...fields },
      { type: 'api_key.rotated', ...fields },
    ]);
    expect(noticesOfChange({ key, became: 'rotated' }, NOBODY)).toEqual([]);
    expect(noticesOfChange({ key: next, became: 'used', replaced: key }, NOBODY)).toEqual([]);
  });

  test('announces an expiry without other fields', () => {
    expect(noticesOfChange({ key, became: 'expired' }, { clientIp: '192.0.2.7', leakedAt: LEAK })).toEqual([
      { type: 'api_key.expired', key },
    ]);
  });

  test.each(['owner', 'administrator', 'platform', 'purged'] as const)(
    'announces a revocation by %s with the reason',
    (reason) => {
      const revoked = { type: 'api_key.revoked', key, reason };
      expect(noticesOfChange({ key, became: 'revoked', reason }, { clientIp: null, leakedAt: LEAK })).toEqual([
        revoked,
      ]);
    },
  );

  test('announces the revocation and the leak, both with where the key was found', () => {
    const change = { key, became: 'revoked', reason: 'leaked' } as const;
    expect(noticesOfChange(change, NOBODY)).toEqual([
      { type: 'api_key.revoked', key, reason: 'leaked' },
      { type: 'api_key.leaked', key },
    ]);
    expect(noticesOfChange(change, { clientIp: null, leakedAt: LEAK })).toEqual([
      { type: 'api_key.revoked', key, reason: 'leaked', leak: LEAK },
      { type: 'api_key.leaked', key, leak: LEAK },
    ]);
  });
});
