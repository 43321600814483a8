import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

describe('latchkey account with service accounts', () => {
  const { service, latchkey, done: succeed } = serviceWithShell();

  const account = (...args: string[]) => latchkey(['account', ...args]);
  const done = (...args: string[]) => succeed(['account', ...args]);
  const newId = () => `bot-${randomUUID()}`;
  const profile = ['--display-name', 'CI bot', '--permissions', 'systems:read'];
  const asService = (...managers: string[]) => ['--kind', 'service', ...managers.flatMap((id) => ['--manager', id])];
  const put = (id: string, ...managers: string[]) => done('put', id, ...profile, ...asService(...managers));

  test('put creates one without an email, whose managers then make keys for it', async () => {
    const [ada, bob] = [await newOwner(service), await newOwner(service)];
    const id = newId();
    const expected = { id, kind: 'service', email: '', managers: [ada.id, bob.id].sort(), hasPassword: false };
    expect(await put(id, bob.id, ada.id)).toMatchObject(expected);
    expect(await done('show', id)).toMatchObject(expected);
    const order = { name: 'Deploy', access: 'read-only', expiresInDays: 1, password: PASSWORD };
    const { status, body } = await bob.person.call('POST', `/v1/api-keys?account=${id}`, order);
    expect([status, body.apiKey.createdBy.id]).toEqual([201, bob.id]);
    expect((await service.clients.validate(body.fullKey)).grant?.ownerId).toBe(id);
  });

  test('put keeps the managers unless it names new ones', async () => {
    const [ada, bob] = [await newOwner(service), await newOwner(service)];
    const id = newId();
    await put(id, ada.id);
    expect(await put(id)).toMatchObject({ managers: [ada.id] });
    expect(await put(id, bob.id)).toMatchObject({ managers: [bob.id] });
  });

  test('show and list print the kind and the managers', async () => {
    const { id: ada, email } = await newOwner(service);
    const id = newId();
    await done('put', id, ...profile, ...asService(ada), '--email', `${id}@example.com`);
    const shown = (await account('show', id)).out;
    expect(shown).toMatch(/^kind {9}service$/m);
    expect(shown).toContain(`\nmanagers     ${ada}\n`);
    expect(
      (await account('list', '--email', `${id}@example.com`)).out.split('\n').map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['ID', 'KIND', 'STATUS', 'EMAIL', 'NAME', 'MANAGERS'],
      [id, 'service', 'active', `${id}@example.com`, 'CI bot', ada],
      [''],
    ]);
    expect(await done('show', ada)).toMatchObject({ kind: 'person', managers: [], email });
  });

  test('list --without-managers names those that no active person manages', async () => {
    const { id: ada } = await newOwner(service);
    const [managed, left] = [newId(), newId()];
    await put(managed, ada);
    await put(left, ada);
    await sql(service.databaseUrl, 'UPDATE accounts SET managers = NULL WHERE id = $1', [left]);
    const listed = async () => {
      const items: { id: string }[] = (await done('list', '--without-managers')).items;
      return items.map(({ id }) => id).filter((id) => [managed, left].includes(id));
    };
    expect(await listed()).toEqual([left]);
    await done('suspend', ada);
    expect(await listed()).toEqual([managed, left].sort());
    await done('reactivate', ada);
    expect(await listed()).toEqual([left]);
  });

  test.each<[string, (ada: string) => string[], RegExp]>([
    [
      'a person without an email',
      () => profile,
      /^give --email, or --kind service: only a service account may have no/,
    ],
    [
      'a person of that kind without an email',
      () => [...profile, '--kind', 'person'],
      /^give --email, or --kind service/,
    ],
    [
      'a kind that does not exist',
      () => [...profile, '--kind', 'robot'],
      /--kind.*Allowed choices are person, service/,
    ],
    ['a service account without a manager', () => [...profile, ...asService()], /^managers must be 1 to 20: a service/],
    [
      'an unknown manager',
      () => [...profile, ...asService('nobody')],
      /^managers must be the ids of persons .*"nobody"/,
    ],
    [
      'a person with a manager',
      (ada) => [...profile, '--email', 'x@example.com', '--manager', ada],
      /^managers must be left out: a person has no managers$/,
    ],
  ])('put refuses %s with one line, and stores nothing', async (_, args, message) => {
    const { id: ada } = await newOwner(service);
    const id = newId();
    const { code, out, err } = await account('put', id, ...args(ada));
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(/^latchkey: [^\n]+\n$/) });
    expect(err.slice('latchkey: '.length).trimEnd()).toMatch(message);
    expect(await account('show', id)).toMatchObject({ code: 1 });
  });

  test('put refuses to change the kind', async () => {
    const ada = await newOwner(service);
    const { code, err } = await account('put', ada.id, ...profile, ...asService(ada.id));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^latchkey: the account is a person: its kind/),
    });
  });
});
