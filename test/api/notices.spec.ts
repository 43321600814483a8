import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#domain/time.js';
import { newOwner, PASSWORD as OWNER_PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { type MailServer, startMailServer } from '../support/platform/mail-server.js';
import { type Service, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { sql } from '../support/stores/sql.js';
import {
  ACCEPTS,
  answering,
  HANGS,
  type WebhookServer,
  startWebhookServer,
} from '../support/platform/webhook-receiver.js';
import { createDatabase } from '../support/stores/databases.mjs';

describe('the notices by mail', () => {
  const PASSWORD = 'S3cret-of-mail';

  let server: MailServer;
  let isOpen = true;
  let refused: string | undefined;
  let service: Service;
  beforeAll(async () => {
    server = await startMailServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === refused ? Object.assign(new Error('try later'), { responseCode: 450 }) : null),
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) => {
        const wrong = Object.assign(new Error(`not ${password} for ${username}`), { responseCode: 535 });
        callback(isOpen && password === PASSWORD ? null : wrong, { user: username! });
      },
    });
    const SMTP_URL = `smtp://keys:${PASSWORD}@${server.place}`;
    service = await startService({ SMTP_URL, MAIL_FROM: 'Keys <keys@example.com>' });
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
  });

  const waiting = () => sql<{ last_error: string | null }>(service.databaseUrl, 'SELECT last_error FROM outbox');
  const reason = () => eventually(async () => (await waiting())[0]?.last_error);

  test('are announced to the settings screen by the days on which they are sent', async () => {
    const { person } = await newOwner(service);
    expect((await person.call('GET', '/v1/session')).body).toMatchObject({ expiryNoticeDays: [30, 7, 1] });
  });

  test('are sent after the server refused the login, and its password is not stored with the error', async () => {
    isOpen = false;
    const { email, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ name: 'Ünïcode <b>' });
    expect(await reason()).toBe('Invalid login: 535 not … for keys');

    isOpen = true;
    const mail = await eventually(async () => {
      await sql(service.databaseUrl, 'UPDATE outbox SET next_try_at = clock_timestamp()');
      return server.mails.find(({ recipients }) => recipients.includes(email));
    });
    expect([mail.subject, mail.user]).toEqual(['A new API key was created: Ünïcode <b>', 'keys']);
    expect(mail.text).toContain(`Begins with: ${apiKey.prefix}\n`);
    expect(mail.text).toContain('From the address: 127.0.0.1\n');
    expect(mail.text).toContain(`${service.url}/settings/api-keys?key=${apiKey.id}\n`);
    for (const part of [mail.raw, mail.text!, mail.html!]) expect(part).not.toContain(fullKey.slice(-16));
    await eventually(async () => (await waiting()).length === 0);
  });

  test('are not sent to a person who was purged before the next attempt', async () => {
    isOpen = false;
    const { id, email, person } = await newOwner(service);
    await person.newKey();
    await reason();
    await service.clients.purgeAccount(id);
    expect(await waiting()).toEqual([]);
    expect(server.mails.some(({ recipients }) => recipients.includes(email))).toBe(false);
  });

  test('of a service account are sent to each manager once, also when one of the addresses was refused at first', async () => {
    isOpen = true;
    const [ada, bob] = [await newOwner(service), await newOwner(service)];
    const bot = { id: `bot-${ada.id}`, displayName: 'CI bot', permissions: ['systems:read'] };
    const managers = { ids: [ada.id, bob.id] };
    await service.clients.putAccount({ ...bot, kind: 'ACCOUNT_KIND_SERVICE', managers });
    refused = bob.email;
    const order = { name: 'Deploy', access: 'read-only', expiresInDays: 1, password: OWNER_PASSWORD };
    expect(await ada.person.call('POST', `/v1/api-keys?account=${bot.id}`, order)).toMatchObject({ status: 201 });
    const mailsTo = (email: string) => server.mails.filter(({ recipients }) => recipients.includes(email));
    await eventually(async () => mailsTo(ada.email).length === 1 && (await reason())?.includes('try later'));
    // Nobody is mailed at the account's own address, because it has none.
    expect(await waiting()).toHaveLength(1);

    refused = undefined;
    await sql(service.databaseUrl, 'UPDATE outbox SET next_try_at = clock_timestamp()');
    const mail = await eventually(async () => mailsTo(bob.email)[0]);
    await eventually(async () => (await waiting()).length === 0);
    expect([mailsTo(ada.email).length, mailsTo(bob.email).length]).toEqual([1, 1]);
    expect(mail.text).toContain('\nAccount: CI bot, which you manage\nKey: Deploy\n');
    expect(mail.text).not.toContain('From the address');
  });

  test('are created for due times by a job that runs from the start', async () => {
    const job = { job: 'tell-due-notices' };
    await eventually(async () => (await readMetrics(service.url)).sum('latchkey_job_runs_total', job) > 0);
    expect((await readMetrics(service.url)).sum('latchkey_job_failures_total', job)).toBe(0);
  });
});

describe('the notices by webhook', () => {
  let receiver: WebhookServer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  beforeAll(async () => {
    receiver = await startWebhookServer();
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

describe('A service with REVOKE_IDLE_AFTER_DAYS=14', () => {
  let receiver: WebhookServer;
  let service: Service;
  beforeAll(async () => {
    receiver = await startWebhookServer();
    service = await startService({ ...receiver.env, REVOKE_IDLE_AFTER_DAYS: '14' });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  test('shows in lists, details and the policy when a key ends unless it is used', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    expect(apiKey).toMatchObject({ idleEndsAt: null });
    const later = `date_trunc('second', clock_timestamp()) + interval '1 hour'`;
    const [notice] = await sql<{ at: Date }>(
      service.databaseUrl,
      `INSERT INTO idle_notices VALUES ($1, ${later}) RETURNING written_at AS at`,
      [apiKey.id],
    );
    const idleEndsAt = new Date(notice!.at.getTime() + 7 * DAY_MS).toISOString();
    const { body } = await person.call('GET', '/v1/api-keys');
    expect(body).toMatchObject({ items: [{ idleEndsAt }], policy: { revokeIdleAfterDays: 14 } });
    const shown = async () => (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
    expect(await shown()).toMatchObject({ idleEndsAt });
    await sql(service.databaseUrl, `INSERT INTO api_key_usage (key_id, last_used_at) VALUES ($1, ${later})`, [
      apiKey.id,
    ]);
    expect(await shown()).toMatchObject({ idleEndsAt: null });
  });
});
