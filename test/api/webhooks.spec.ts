import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { answering, HANGS, ACCEPTS, WebhookServer } from '../support/platform/webhook-receiver.js';
import { startService, type Service } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

describe('the notices by webhook', () => {
  let receiver: WebhookServer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  beforeAll(async () => {
    receiver = await WebhookServer.start();
    database = await createDatabase();
    service = await startService({ ...receiver.env, DATABASE_URL: database.url });
  });
  beforeEach(() => {
    receiver.answer = ACCEPTS;
  });
  afterAll(async () => {
    await receiver.stop();
    await database.drop();
  });

  /** Makes their next attempt due now. */
  const hurry = () => sql(database.url, 'UPDATE outbox SET next_try_at = clock_timestamp()');
  const waiting = async () => (await sql(database.url, 'SELECT 1 FROM outbox')).length;
  const received = (keyId: string, count: number) =>
    eventually(async () => {
      const events = receiver.noticesAbout(keyId);
      return events.length >= count && events;
    });

  test('are signed, sent once each, and identify the key', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await person.call('POST', `/v1/api-keys/${apiKey.id}/revoke`);
    const events = await received(apiKey.id, 2);
    const always = {
      keyId: apiKey.id,
      ownerId: id,
      name: apiKey.name,
      prefix: apiKey.prefix,
      expiresAt: apiKey.expiresAt,
    };
    expect(events.sort((one, other) => one.data.sequence - other.data.sequence)).toEqual([
      {
        type: 'api_key.created',
        timestamp: expect.any(String),
        data: { sequence: 1, ...always, clientIp: '127.0.0.1' },
      },
      { type: 'api_key.revoked', timestamp: expect.any(String), data: { sequence: 2, ...always, reason: 'owner' } },
    ]);
    await eventually(async () => (await waiting()) === 0);
    expect(receiver.noticesAbout(apiKey.id)).toHaveLength(2);
  });

  test('are sent again with the same id and text after the receiver answered 500', async () => {
    receiver.answer = answering(500);
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await received(apiKey.id, 1);
    receiver.answer = ACCEPTS;
    await eventually(async () => {
      await hurry();
      return (await waiting()) === 0;
    });
    const attempts = receiver.deliveries.filter(({ body }) => body.includes(apiKey.id));
    expect(attempts.length).toBeGreaterThan(1);
    expect(new Set(attempts.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  });

  test('are still sent after the receiver answered one with 101', async () => {
    const words = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
    receiver.answer = (response) => void response.socket!.end(words);
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await received(apiKey.id, 1);
    receiver.answer = ACCEPTS;
    await eventually(async () => {
      await hurry();
      return (await waiting()) === 0;
    });
    expect(receiver.noticesAbout(apiKey.id).length).toBeGreaterThan(1);
  });

  test('do not delay answers or other jobs while the receiver hangs', async () => {
    receiver.answer = HANGS;
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await received(apiKey.id, 1);
    const runs = async () =>
      (await readMetrics(service.url)).sum('latchkey_job_runs_total', { job: 'check-readiness' });
    const before = await runs();
    await eventually(async () => (await runs()) > before + 1);
    // Its message is still being sent.
    expect(receiver.noticesAbout(apiKey.id)).toHaveLength(1);
    expect((await service.clients.validate(fullKey)).grant).toMatchObject({ keyId: apiKey.id });
    expect((await person.call('GET', `/v1/api-keys/${apiKey.id}`)).status).toBe(200);
    const page = await readMetrics(service.url);
    expect(page.sum('latchkey_outbox_tries_total', { channel: 'webhook', outcome: 'delivered' })).toBeGreaterThan(1);
    expect(page.sum('latchkey_outbox_tries_total', { channel: 'webhook', outcome: 'failed' })).toBeGreaterThan(0);
    receiver.hangUp();
  });

  test('are never sent for a refused change', async () => {
    const { person } = await newOwner(service);
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push((await person.newKey()).apiKey);
    const body = { name: 'one too many', access: 'read-only', password: 'nothing like it' };
    const refused = await person.call('POST', '/v1/api-keys', body);
    expect(refused.status).toBe(403);
    expect((await person.call('POST', `/v1/api-keys/${randomUUID()}/revoke`)).status).toBe(404);
    await eventually(async () => {
      await hurry();
      return (await waiting()) === 0;
    });
    const names = receiver.deliveries.map(
      ({ body: text }) => (JSON.parse(text) as { data: { name: string } }).data.name,
    );
    expect(names).not.toContain('one too many');
    for (const { id } of keys)
      expect(new Set(receiver.noticesAbout(id).map(({ type }) => type))).toEqual(new Set(['api_key.created']));
  });

  test('do not stop the service from ending, which releases the notice that it was sending', async () => {
    receiver.answer = HANGS;
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await received(apiKey.id, 1);
    const claimed = () => sql(database.url, 'SELECT 1 FROM outbox WHERE claimed_until > clock_timestamp()');
    expect(await claimed()).toHaveLength(1);
    await service.stop();
    expect([await waiting(), await claimed()]).toEqual([1, []]);
    expect(receiver.noticesAbout(apiKey.id)).toHaveLength(1);
  });
});
