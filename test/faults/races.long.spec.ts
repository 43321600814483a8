import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importedString, IMPORT_PREFIX, importedKey, importKeys, importOf } from '../support/callers/imports.js';
import { ADMIN, ADMIN_PROFILE } from '../support/callers/management-routes.js';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import type { Person } from '../support/callers/person.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

const ROUNDS = 10;
const CONFLICT = 409;

describe('the same key or account, changed at two instances at the same time', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let [one, two]: Service[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    const env = { DATABASE_URL: database.url, IMPORT_PREFIXES: IMPORT_PREFIX, ...ADMIN };
    one = await startService(env);
    two = await startService(env);
  });
  afterAll(async () => {
    await one?.stop();
    await two?.stop();
    await database?.drop();
  });

  /** An owner with the same session at both instances. */
  const ownerAtBoth = async (profile: object = {}) => {
    const { id, person } = await newOwner(one!, profile);
    const atTwo = two!.person();
    atTwo.cookie = person.cookie;
    return { id, persons: [person, atTwo] as const };
  };
  /** The statuses in ascending order, because either instance may be the faster one. */
  const race = async (...calls: Promise<{ readonly status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).sort();
  const recorded = (type: string, id: string) =>
    sql<{ id: string; reason: string | null }>(
      database.url,
      'SELECT id, reason FROM audit_events WHERE type = $1 AND (key_id::text = $2 OR owner_id = $2) ORDER BY id',
      [type, id],
    );
  const inRounds = async (round: () => Promise<void>) => {
    for (let left = ROUNDS; left > 0; left -= 1) await round();
  };

  test('is rotated once, and an owner at the limit creates one key more than none', async () => {
    await inRounds(async () => {
      const { persons } = await ownerAtBoth();
      const { apiKey } = await persons[0].newKey();
      expect(await race(...persons.map((person) => person.rotate(apiKey.id)))).toEqual([201, CONFLICT]);
      for (let keys = 1; keys < 4; keys += 1) await persons[0].newKey();
      expect(await race(...persons.map((person) => person.create()))).toEqual([201, CONFLICT]);
      expect((await persons[0].list()).activeKeys).toBe(5);
    });
  });

  test('gets no further key by rotations above the limit', async () => {
    await inRounds(async () => {
      const { id, persons } = await ownerAtBoth();
      const [first, second] = [await importedKey(one!.clients, id), await importedKey(one!.clients, id)];
      for (let left = 4; left > 0; left -= 1) await importedKey(one!.clients, id);
      const rotations = [persons[0].rotate(first.id), persons[1].rotate(second.id), persons[1].rotate(first.id)];
      expect(await race(...rotations, persons[0].create())).toEqual([201, 201, CONFLICT, CONFLICT]);
      expect((await persons[0].list()).activeKeys).toBe(6);
    });
  });

  test('is paused by two and revoked, rotated or resumed by one: the key ends as if one had come after the other', async () => {
    const pause = (person: Person, id: string, minutes: number) =>
      person.call('POST', `/v1/api-keys/${id}/pause`, { minutes });
    const resume = (person: Person, id: string) =>
      person.call('POST', `/v1/api-keys/${id}/resume`, { password: PASSWORD });
    const newest = async (person: Person, id: string) => (await person.call('GET', `/v1/api-keys/${id}`)).body;
    await inRounds(async () => {
      const { persons } = await ownerAtBoth();
      const ids = await Promise.all(Array.from({ length: 4 }, async () => (await persons[0].newKey()).apiKey.id));
      const [first, second, third, fourth] = ids as [string, string, string, string];
      expect(await race(pause(persons[0], first, 5), pause(persons[1], first, 600))).toEqual([200, 200]);
      expect(Date.parse((await newest(persons[0], first)).pausedUntil)).toBeGreaterThan(Date.now() + 500 * 60_000);

      const [paused, revoked] = await Promise.all([pause(persons[0], second, 5), persons[1].revoke(second)]);
      expect([revoked.status, [200, CONFLICT].includes(paused.status)]).toEqual([200, true]);
      expect(await newest(persons[0], second)).toMatchObject({ status: 'revoked', pausedUntil: null });

      const [stopped, replaced] = await Promise.all([pause(persons[0], third, 5), persons[1].rotate(third)]);
      expect([stopped.status, [201, CONFLICT].includes(replaced.status)]).toEqual([200, true]);
      if (replaced.status === CONFLICT) expect(replaced.body.code).toBe('api_key_paused');

      await pause(persons[0], fourth, 5);
      expect(await race(resume(persons[0], fourth), resume(persons[1], fourth))).toEqual([200, 200]);
      expect(await newest(persons[0], fourth)).toMatchObject({ status: 'active', pausedUntil: null });
      expect(await recorded('api_key.resumed', fourth)).toHaveLength(1);
    });
  });

  test('is revoked once, by the first of three, and is not rotated after it', async () => {
    const administrator = await ownerAtBoth(ADMIN_PROFILE);
    const end = (person: Person, id: string) =>
      person.call('POST', `/v1/admin/api-keys/${id}/revoke`, { password: PASSWORD });
    await inRounds(async () => {
      const { persons } = await ownerAtBoth();
      const [ended, rotated] = [(await persons[0].newKey()).apiKey.id, (await persons[0].newKey()).apiKey.id];
      const ends = [
        end(administrator.persons[0], ended),
        end(administrator.persons[1], ended),
        persons[1].revoke(ended),
      ];
      expect(await race(...ends)).toEqual([200, CONFLICT, CONFLICT]);
      expect(await recorded('api_key.revoked', ended)).toHaveLength(1);
      const rotation = persons[1].rotate(rotated, { leaked: true });
      const revocation = end(administrator.persons[0], rotated);
      const { status, body } = await rotation;
      expect((await revocation).status).toBe(status === 201 ? CONFLICT : 200);
      const [{ reason } = {}, ...more] = await recorded('api_key.revoked', rotated);
      expect([reason, more]).toEqual([status === 201 ? 'leaked' : 'administrator', []]);
      if (status === 201) expect((await two!.clients.validate(body.fullKey)).grant).toBeTruthy();
    });
  });

  test('is reported as leaked at both, and ends once', async () => {
    await inRounds(async () => {
      const { persons } = await ownerAtBoth();
      const { apiKey, fullKey } = await persons[0].newKey();
      const report = (service: Service) => service.person().call('POST', '/v1/leaked-keys', { keys: [fullKey] });
      expect(await race(report(one!), report(two!))).toEqual([202, 202]);
      // The report is answered before it is worked on.
      await eventually(async () => (await two!.clients.validate(fullKey)).denial);
      await race(report(one!), report(two!));
      expect(await recorded('api_key.revoked', apiKey.id)).toMatchObject([{ reason: 'leaked' }]);
    });
  });

  test('is imported once, and for one of two owners', async () => {
    await inRounds(async () => {
      const [{ id }, { id: other }] = [await newOwner(one!), await newOwner(one!)];
      const text = importedString();
      const answers = await Promise.all([
        importKeys(one!.clients, [importOf(text, id)]),
        importKeys(two!.clients, [importOf(text, id)]),
        importKeys(two!.clients, [importOf(text, other)]),
      ]);
      const stored = await sql<{ id: string; owner_id: string }>(
        database.url,
        'SELECT id, owner_id FROM api_keys WHERE owner_id IN ($1, $2)',
        [id, other],
      );
      expect(stored).toHaveLength(1);
      const [same, again, others] = answers.map(([answer]) => answer!.keyId);
      const expected = stored[0]!.owner_id === id ? [stored[0]!.id, stored[0]!.id, ''] : ['', '', stored[0]!.id];
      expect([same, again, others]).toEqual(expected);
    });
  });

  test('is created once as an account', async () => {
    await inRounds(async () => {
      const id = `new-${randomUUID()}`;
      const account = { id, email: `${id}@example.com`, displayName: 'Ada', permissions: ['systems:read'] };
      const answers = await Promise.all([one!.clients.putAccount(account), two!.clients.putAccount(account)]);
      expect(answers.map((answer) => answer.id)).toEqual([id, id]);
      expect(await recorded('account.created', id)).toHaveLength(1);
    });
  });

  test('is not rotated by a manager after another instance answered that they are none', async () => {
    const [manager, next] = [await ownerAtBoth(), await ownerAtBoth()];
    await inRounds(async () => {
      const id = `bot-${randomUUID()}`;
      const bot = { id, displayName: 'CI bot', permissions: ['systems:read'], kind: 'ACCOUNT_KIND_SERVICE' as const };
      await one!.clients.putAccount({ ...bot, managers: { ids: [manager.id] } });
      const { body } = await manager.persons[0].call('POST', `/v1/api-keys?account=${id}`, {
        name: 'CI',
        access: 'read-only',
        expiresInDays: 1,
        password: PASSWORD,
      });
      const path = `/v1/api-keys/${body.apiKey.id}/rotate?account=${id}`;
      const rotate = (person: Person) => person.call('POST', path, { password: PASSWORD });
      const [rotated] = await Promise.all([
        rotate(manager.persons[0]),
        two!.clients.putAccount({ ...bot, managers: { ids: [next.id] } }),
      ]);
      expect([201, 404]).toContain(rotated.status);
      if (rotated.status === 201) {
        const [[rotation], [change]] = [
          await recorded('api_key.rotated', body.apiKey.id),
          await recorded('account.changed', id),
        ];
        expect(BigInt(rotation!.id)).toBeLessThan(BigInt(change!.id));
      }
      expect((await rotate(manager.persons[0])).status).toBe(404);
      const seen = await next.persons[1].call('GET', `/v1/api-keys?account=${id}`);
      expect(seen.body.items.map((key: { createdBy: object }) => key.createdBy)).toEqual(
        seen.body.items.map(() => expect.objectContaining({ id: manager.id, isFormerManager: true })),
      );
    });
  });
});
