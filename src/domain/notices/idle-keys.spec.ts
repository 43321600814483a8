import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { POLICY } from '#test/support/application/calls.js';
import { Account } from '../accounts/account.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { DAY_MS, MINUTE_MS } from '../time.js';
import { hasReceiver, type IdleNotice, idleSteps, type KeyUse, shownIdleEnd } from './idle-keys.js';

const DAYS = 30;
const CREATED = new Date('2026-03-01T00:00:00.000Z');
const at = (days: number, ms = 0) => new Date(CREATED.getTime() + days * DAY_MS + ms);
const PERSON = { email: 'ada@example.org', displayName: 'Ada', permissions: [] };
const owner = Account.open('ada', PERSON);
const RULE = { afterDays: DAYS, hasReceiver: true };

function keyOf(expiresInDays = 365): ApiKey {
  const order = { id: randomUUID(), ownerId: 'ada', name: 'CI', access: 'read-only', expiresInDays } as const;
  return ApiKey.issue(order, KeyString.generate('lk'), CREATED);
}

function rotated(key: ApiKey, now: Date): ApiKey {
  const order = { id: randomUUID(), expiresInDays: undefined, graceSeconds: 3600, policy: POLICY };
  return key.replaceBy(order, KeyString.generate('lk'), now);
}

const unused = (key: ApiKey): KeyUse => ({ key, lastUsedAt: undefined });
const noticeOf = (key: ApiKey, writtenAt: Date, foundIdleAt: Date | null = null) =>
  new Map<string, IdleNotice>([[key.id, { writtenAt, foundIdleAt }]]);
const NONE = new Map<string, IdleNotice>();

const namesOf = (...given: Parameters<typeof idleSteps>) => idleSteps(...given).map(({ step }) => step);

describe('idleSteps', () => {
  test('notifies of a key from the moment on that nobody has used it for so many days', () => {
    const keys = [unused(keyOf())];
    const { key } = keys[0]!;
    expect(idleSteps({ owner, keys, notices: NONE }, RULE, at(DAYS, -1))).toEqual([]);
    expect(idleSteps({ owner, keys, notices: NONE }, RULE, at(DAYS))).toEqual([
      { step: 'notify', key, replaced: undefined, endsAt: at(DAYS + 7) },
    ]);
  });

  test('looks at each of many keys of one owner a few times only', () => {
    let looks = 0;
    const keys = Array.from({ length: 1000 }, () => {
      const key = keyOf();
      return {
        get key() {
          looks += 1;
          return key;
        },
        lastUsedAt: undefined,
      };
    });
    expect(namesOf({ owner, keys, notices: NONE }, RULE, at(DAYS))).toHaveLength(1000);
    expect(looks).toBeLessThan(20 * 1000);
  });

  test('counts the days from the last use, and from the reactivation of the owner', () => {
    const key = keyOf();
    const used = [{ key, lastUsedAt: at(5) }];
    expect(namesOf({ owner, keys: used, notices: NONE }, RULE, at(DAYS + 5, -1))).toEqual([]);
    expect(namesOf({ owner, keys: used, notices: NONE }, RULE, at(DAYS + 5))).toEqual(['notify']);
    const back = Account.open('ada', PERSON);
    back.suspend();
    expect(namesOf({ owner: back, keys: used, notices: NONE }, RULE, at(300))).toEqual([]);
    back.reactivate(at(100));
    expect(namesOf({ owner: back, keys: used, notices: NONE }, RULE, at(DAYS + 100, -1))).toEqual([]);
    expect(namesOf({ owner: back, keys: used, notices: NONE }, RULE, at(DAYS + 100))).toEqual(['notify']);
  });

  test('does not notify of a key that ends by the clock before it would end as idle', () => {
    const steps = (key: ApiKey) => namesOf({ owner, keys: [unused(key)], notices: NONE }, RULE, at(DAYS));
    expect([steps(keyOf(DAYS + 7)), steps(keyOf(DAYS + 8)), steps(keyOf(DAYS))]).toEqual([[], ['notify'], []]);
    const ending = ApiKey.restore({ ...keyOf().snapshot(), endsAt: at(DAYS + 7) });
    expect(steps(ending)).toEqual([]);
  });

  test('neither notifies nor ends a key without a receiver, and withdraws its notice', () => {
    const key = keyOf();
    const deaf = { ...RULE, hasReceiver: false };
    const keys = [unused(key)];
    expect(idleSteps({ owner, keys, notices: NONE }, deaf, at(300))).toEqual([]);
    const notices = noticeOf(key, at(DAYS), at(DAYS + 7));
    expect(idleSteps({ owner, keys, notices }, deaf, at(DAYS + 7, 10 * MINUTE_MS))).toEqual([
      { step: 'withdraw', keyId: key.id },
    ]);
  });

  test('ends a key seven days after its notice, at the second of two checks ten minutes apart', () => {
    const key = keyOf();
    const keys = [unused(key)];
    const noticed = { owner, keys, notices: noticeOf(key, at(DAYS)) };
    expect(idleSteps(noticed, RULE, at(DAYS + 7, -1))).toEqual([]);
    const first = { writtenAt: at(DAYS), foundIdleAt: at(DAYS + 7) };
    expect(idleSteps(noticed, RULE, at(DAYS + 7))).toEqual([{ step: 'found-idle', keyId: key.id, notice: first }]);
    const found = { owner, keys, notices: new Map([[key.id, first]]) };
    expect(idleSteps(found, RULE, at(DAYS + 7, 10 * MINUTE_MS - 1))).toEqual([]);
    expect(idleSteps(found, RULE, at(DAYS + 7, 10 * MINUTE_MS))).toEqual([
      { step: 'end', keyId: key.id, ending: [key] },
    ]);
  });

  test.each<[string, Date]>([
    ['before its end', at(DAYS + 3)],
    ['between the two checks', at(DAYS + 7, 5 * MINUTE_MS)],
  ])('withdraws the notice of a key that was used %s', (_when, lastUsedAt) => {
    const key = keyOf();
    const notices = noticeOf(key, at(DAYS), at(DAYS + 7));
    const steps = idleSteps({ owner, keys: [{ key, lastUsedAt }], notices }, RULE, at(DAYS + 7, 10 * MINUTE_MS));
    expect(steps).toEqual([{ step: 'withdraw', keyId: key.id }]);
  });

  test('withdraws the notice of a suspended owner, of a key that has ended, and of one that nobody checked in time', () => {
    const key = keyOf();
    const given = { owner, keys: [unused(key)], notices: noticeOf(key, at(DAYS), at(DAYS + 7)) };
    const withdraw = [{ step: 'withdraw', keyId: key.id }];
    const suspended = Account.open('ada', PERSON);
    suspended.suspend();
    expect(idleSteps({ ...given, owner: suspended }, RULE, at(DAYS + 1))).toEqual(withdraw);
    expect(idleSteps({ ...given, keys: [] }, RULE, at(DAYS + 1))).toEqual(withdraw);
    expect(idleSteps(given, RULE, at(DAYS + 8, -1))).toMatchObject([{ step: 'end' }]);
    expect(idleSteps(given, RULE, at(DAYS + 8))).toEqual(withdraw);
  });

  test('counts a rotating pair as one key, which a use of either keeps, and ends both', () => {
    const key = keyOf();
    const next = rotated(key, at(10));
    const keys = [unused(key), unused(next)];
    expect(namesOf({ owner, keys, notices: NONE }, RULE, at(DAYS + 10, -1))).toEqual([]);
    expect(idleSteps({ owner, keys, notices: NONE }, RULE, at(DAYS + 10))).toEqual([
      { step: 'notify', key: next, replaced: key, endsAt: at(DAYS + 17) },
    ]);
    const used = [{ key, lastUsedAt: at(20) }, unused(next)];
    expect(namesOf({ owner, keys: used, notices: NONE }, RULE, at(DAYS + 20, -1))).toEqual([]);
    const notices = noticeOf(next, at(DAYS + 10), at(DAYS + 17));
    expect(idleSteps({ owner, keys, notices }, RULE, at(DAYS + 17, 10 * MINUTE_MS))).toEqual([
      { step: 'end', keyId: next.id, ending: [key, next] },
    ]);
  });

  test('withdraws the notice of a key that was rotated since', () => {
    const key = keyOf();
    const next = rotated(key, at(DAYS + 1));
    const given = { owner, keys: [unused(key), unused(next)], notices: noticeOf(key, at(DAYS)) };
    expect(idleSteps(given, RULE, at(DAYS + 2))).toEqual([{ step: 'withdraw', keyId: key.id }]);
  });
});

describe('shownIdleEnd', () => {
  test('is a week after the notice, until the key is used or ends', () => {
    const key = keyOf();
    const shown = (lastUsedAt: Date | null, now = at(DAYS), noticeAt: Date | null = at(DAYS)) =>
      shownIdleEnd({ key, lastUsedAt, noticeAt }, now);
    expect([shown(null), shown(at(2)), shown(null, at(DAYS), null)]).toEqual([at(DAYS + 7), at(DAYS + 7), null]);
    expect([shown(at(DAYS)), shown(null, at(365))]).toEqual([null, null]);
  });
});

describe('hasReceiver', () => {
  const service = Account.open('bot', { ...PERSON, email: '', kind: 'service', managers: ['ada', 'bob'] });
  const bob = Account.open('bob', { ...PERSON, email: 'bob@example.org' });
  const [webhook, mail] = [
    { webhook: true, mail: false },
    { webhook: false, mail: true },
  ];

  test('is true with a webhook, and with mail for an owner or an active manager who has an address', () => {
    expect(hasReceiver({ webhook: false, mail: false }, owner, [])).toBe(false);
    expect([hasReceiver(webhook, service, []), hasReceiver(mail, owner, [])]).toEqual([true, true]);
    expect([hasReceiver(mail, service, []), hasReceiver(mail, service, [bob])]).toEqual([false, true]);
    bob.suspend();
    expect([hasReceiver(mail, service, [bob]), hasReceiver(mail, service, [bob, owner])]).toEqual([false, true]);
  });
});
