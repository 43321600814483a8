import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

describe('latchkey account limits and latchkey account attributes', () => {
  const { service, latchkey, done: succeed } = serviceWithShell();

  const account = (...args: string[]) => latchkey(['account', ...args]);
  const done = (...args: string[]) => succeed(['account', ...args]);
  const stored = (id: string) =>
    sql(service.databaseUrl, 'SELECT status, limits, attributes, version FROM accounts WHERE id = $1', [id]);
  const events = (id: string) =>
    sql<{ type: string; actor_id: string; details: string }>(
      service.databaseUrl,
      `SELECT type, actor_id, details FROM audit_events WHERE owner_id = $1 AND type LIKE 'account.%' ORDER BY id`,
      [id],
    );

  test('set and show what is stored, which a running service sees at its next call', async () => {
    const { id, person } = await newOwner(service);
    const { fullKey } = await person.newKey({ access: 'read-and-write' });
    const rate = { requestsPerSecond: 2, burst: 7 };
    expect(await done('limits', id, '--requests-per-second', '2')).toEqual({ id, limits: { requestsPerSecond: 2 } });
    expect(await done('limits', id, '--burst', '7')).toEqual({ id, limits: rate });
    expect(await service.clients.validate(fullKey)).toMatchObject({ rateLimit: { limit: 7, remaining: 6 } });
    const rest = ['--max-access', 'read-only', '--max-key-days', '30', '--max-active-keys', '9', '--burst', '8'];
    const limits = { ...rate, burst: 8, maxAccess: 'read-only', maxKeyDays: 30, maxActiveKeys: 9 };
    expect(await done('limits', id, ...rest)).toEqual({ id, limits });
    expect((await service.clients.validate(fullKey)).grant?.access).toBe('ACCESS_LEVEL_READ_ONLY');

    expect(await done('attributes', id, 'tenant=acme', 'plan=a=b "c"', 'city=Zürich')).toEqual({
      id,
      attributes: { tenant: 'acme', plan: 'a=b "c"', city: 'Zürich' },
    });
    const attributes = { tenant: 'globex' };
    expect(await done('attributes', id, 'tenant=globex')).toEqual({ id, attributes });
    expect((await service.clients.validate(fullKey)).grant?.attributes).toEqual([{ name: 'tenant', value: 'globex' }]);

    expect([await done('limits', id), await done('attributes', id)]).toEqual([
      { id, limits },
      { id, attributes },
    ]);
    expect(await done('show', id)).toMatchObject({ id, limits, attributes, status: 'active' });
    const [item] = (await done('list', '--email', `${id}@example.com`)).items;
    expect(item).toMatchObject({ id, limits, attributes, status: 'active' });
  });

  test('print lines for people, and say when there is nothing', async () => {
    const { id } = await newOwner(service);
    expect((await account('limits', id)).out).toBe(`${id} has no limits of its own\n`);
    expect((await account('attributes', id)).out).toBe(`${id} has no attributes\n`);
    const limited = await account('limits', id, '--burst', '7', '--max-access', 'read-only');
    expect(limited.out).toBe('burst        7\nmaxAccess    read-only\n');
    expect((await account('attributes', id, 'tenant=acme', 'plan=pro 2')).out).toBe(
      'tenant       acme\nplan         pro 2\n',
    );
    const { out } = await account('show', id);
    expect(out).toMatch(/^limits {7}burst=7 maxAccess="read-only"$/m);
    expect(out).toMatch(/^attributes {3}tenant="acme" plan="pro 2"$/m);
  });

  test('--clear removes all, and leaves only the limits that are given with it', async () => {
    const { id } = await newOwner(service);
    await done('limits', id, '--burst', '7', '--max-key-days', '30');
    await done('attributes', id, 'tenant=acme');
    expect(await done('limits', id, '--clear', '--max-key-days', '9')).toEqual({ id, limits: { maxKeyDays: 9 } });
    expect(await stored(id)).toMatchObject([{ status: 'active+', limits: { maxKeyDays: 9 } }]);
    expect(await done('limits', id, '--clear')).toEqual({ id, limits: {} });
    expect(await done('attributes', id, '--clear')).toEqual({ id, attributes: {} });
    expect(await stored(id)).toMatchObject([{ status: 'active', limits: null, attributes: null }]);
  });

  test('record each change with the administrator and the values before and after', async () => {
    const { id } = await newOwner(service, { permissions: [], version: 3 });
    await done('limits', id, '--burst', '7', '--by', 'ada', '--at-version', '4');
    await done('attributes', id, 'tenant=acme');
    // Shows what is stored, or stores it again.
    for (const args of [['limits'], ['attributes'], ['limits', '--burst', '7'], ['attributes', 'tenant=acme']]) {
      await done(args[0]!, id, ...args.slice(1));
    }
    const facts = { permissions: { before: [], after: [] }, actorKind: 'administrator' };
    const recorded = (await events(id)).slice(1).map((event) => ({ ...event, details: JSON.parse(event.details) }));
    expect(recorded).toEqual([
      {
        type: 'account.changed',
        actor_id: 'admin:ada',
        details: { ...facts, changed: ['limits'], limits: { before: {}, after: { burst: 7 } } },
      },
      {
        type: 'account.changed',
        actor_id: `admin:${userInfo().username}`,
        details: {
          ...facts,
          changed: ['attributes'],
          attributes: { before: [], after: [{ name: 'tenant', value: 'acme' }] },
        },
      },
    ]);
    expect(await stored(id)).toMatchObject([{ version: '4' }]);
  });

  const many = Array.from({ length: 17 }, (_, n) => `n${n}=x`);
  test.each<[string, string[], RegExp]>([
    ['a burst of 0', ['limits', '--burst', '0'], /^limits\.burst must be a whole number from 1 to 1000000$/],
    ['no number', ['limits', '--burst', 'many'], /--burst <number>.*It must be a whole number/],
    ['366 days', ['limits', '--max-key-days', '366'], /^limits\.max_key_days must be a whole number from 1 to 365$/],
    ['101 keys', ['limits', '--max-active-keys', '101'], /^limits\.max_active_keys must be .* from 1 to 100$/],
    ['an unknown access', ['limits', '--max-access', 'admin'], /--max-access.*Allowed choices are read-only/],
    ['no value', ['attributes', 'tenant'], /^an attribute has the form name=value, unlike "tenant"$/],
    ['a name in capitals', ['attributes', 'Tenant=acme'], /^attributes must have names of .* unlike "Tenant"$/],
    ['a name twice', ['attributes', 'a=1', 'a=2'], /^attributes must have each name once: "a" comes twice$/],
    ['a control character', ['attributes', 'a=b\nc'], /^attributes must have values without control characters/],
    ['17 attributes', ['attributes', ...many], /^attributes must be at most 16$/],
    ['attributes with --clear', ['attributes', 'a=1', '--clear'], /^give either attributes or --clear$/],
    ['an administrator with a space', ['limits', '--clear', '--by', 'a b'], /^--by must be/],
  ])('%s is refused with one line that names it, and nothing is stored', async (_, [command, ...args], message) => {
    const { id } = await newOwner(service, {
      limits: { maxKeyDays: 9 },
      attributes: { items: [{ name: 'a', value: '1' }] },
    });
    const before = [await stored(id), await events(id)];
    const { code, out, err } = await account(command!, id, ...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(/^latchkey: [^\n]+\n$/) });
    expect(err.slice('latchkey: '.length).trimEnd()).toMatch(message);
    expect([await stored(id), await events(id)]).toEqual(before);
  });

  test('are refused for an unknown id, and with an older version than the stored one', async () => {
    const { id } = await newOwner(service, { version: 4 });
    for (const [command, ...args] of [['limits', '--burst', '7'], ['attributes', 'a=1'], ['limits'], ['attributes']]) {
      const unknown = await account(command!, randomUUID(), ...args);
      expect(unknown).toEqual({ code: 1, out: '', err: 'latchkey: no account has this id\n' });
      const malformed = await account(command!, 'a b', ...args);
      expect(malformed).toMatchObject({ code: 2, err: expect.stringMatching(/^latchkey: id must be/) });
    }
    for (const [command, ...args] of [
      ['limits', '--burst', '7'],
      ['attributes', 'a=1'],
    ]) {
      const { code, err } = await account(command!, id, ...args, '--at-version', '3');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^latchkey: version 3 is older than/) });
    }
    expect(await stored(id)).toMatchObject([{ limits: null, attributes: null }]);
  });
});
