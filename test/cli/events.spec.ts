import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, newOwner, openOnOwnDatabase, type OwnApplication } from '../support/application/application.js';
import { hostedLatchkey } from '../support/processes/shell.js';

describe('latchkey events', () => {
  let app: OwnApplication;
  beforeAll(async () => {
    app = await openOnOwnDatabase({ noticeReceivers: { webhook: true, mail: false } });
  });
  afterAll(async () => {
    await app?.close();
  });

  const latchkey = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    hostedLatchkey(args, { env: { DATABASE_URL: app.databaseUrl, ...env } });
  /** The message about one new key, after one failed attempt. */
  async function failedAttempt(pauseMs: number | undefined) {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const claims = await app.outbox.claim('webhook', 100);
    const claim = claims.find(({ message }) => message.data.keyId === key.id)!;
    await app.outbox.failed(claim, 'it answered\u001b[2J 500', pauseMs);
    return { key, id: claim.message.id };
  }

  test('list shows waiting messages and those given up, with attempts and last error', async () => {
    const [waiting, failed] = [await failedAttempt(3_600_000), await failedAttempt(undefined)];
    const { code, out } = await latchkey(['events', 'list']);
    expect(code).toBe(0);
    const lineOf = ({ id }: { id: string }) => out.split('\n').find((line) => line.startsWith(id));
    expect(lineOf(waiting)).toMatch(/ waiting +webhook +api_key\.created .* 1 +20\S+Z +it answered \[2J 500$/);
    expect(lineOf(failed)).toMatch(/ failed +webhook +api_key\.created .* 1 +none +it answered \[2J 500$/);
    expect(out).toMatch(/webhook: \d+ waiting, \d+ failed\nmail: 0 waiting, 0 failed\n$/);
    const { out: document } = await latchkey(['events', 'list', '--status', 'failed', '--json']);
    const { items } = JSON.parse(document) as { items: { id: string; status: string; data: object }[] };
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['failed']));
    expect(items.find(({ id }) => id === failed.id)!.data).toMatchObject({ keyId: failed.key.id, sequence: 1 });
  });

  test('list names the manager whom a mail about a key of a service account goes to', async () => {
    const { id } = await failedAttempt(3_600_000);
    await app.sql(`UPDATE outbox SET channel = 'mail', recipient = 'ada' WHERE id = $1`, [id]);
    expect((await latchkey(['events', 'list'])).out).toMatch(new RegExp(`^${id} +waiting +mail to ada +`, 'm'));
    const { items } = JSON.parse((await latchkey(['events', 'list', '--json'])).out) as { items: { id: string }[] };
    expect(items.find((item) => item.id === id)).toMatchObject({ channel: 'mail', recipient: 'ada' });
  });

  test('retry makes one message due, or all that were given up', async () => {
    const [waiting, failed, other] = [
      await failedAttempt(3_600_000),
      await failedAttempt(undefined),
      await failedAttempt(undefined),
    ];
    expect(await latchkey(['events', 'retry', waiting.id.toUpperCase()])).toMatchObject({
      code: 0,
      out: '1 due now\n',
    });
    expect((await latchkey(['events', 'retry', '--failed'])).code).toBe(0);
    const due = (await app.outbox.claim('webhook', 100)).map(({ message }) => message.id);
    for (const { id } of [waiting, failed, other]) expect(due).toContain(id);
  });

  test.each([
    [['retry'], 2, 'give the id of one message, or --failed'],
    [['retry', randomUUID(), '--failed'], 2, 'give the id of one message, or --failed'],
    [['retry', 'first'], 2, '<id> must be the id of a message, as `latchkey events list` shows it'],
    [['retry', randomUUID()], 1, 'there is no such message: it may have been delivered already'],
  ])('refuses %j', async (args, code, err) => {
    expect(await latchkey(['events', ...args])).toMatchObject({ code, err: `latchkey: ${err}\n` });
  });

  test('stores notices about changes only if the environment names a receiver', async () => {
    const { id } = await newOwner(app);
    const revoke = async (env: NodeJS.ProcessEnv) => {
      const { key } = await createKey(app, id);
      await latchkey(['keys', 'revoke', '--owner', id, '--key', key.id, '--yes'], env);
      const claims = await app.outbox.claim('webhook', 100);
      return claims.flatMap(({ message: { type, data } }) => (data.keyId === key.id ? [type, data.reason] : []));
    };
    const created = ['api_key.created', undefined];
    expect(await revoke({})).toEqual(created);
    const env = { WEBHOOK_URL: 'https://hooks.example.com' };
    expect(await revoke(env)).toEqual([...created, 'api_key.revoked', 'administrator']);
  });
});
