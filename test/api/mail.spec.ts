import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/platform/mail-server.js';
import { startService, type Service } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { sql } from '../support/stores/sql.js';

const PASSWORD = 'S3cret-of-mail';

describe('the notices by mail', () => {
  let server: MailServer;
  let isOpen = true;
  let service: Service;
  beforeAll(async () => {
    server = await MailServer.start({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) => {
        const refused = Object.assign(new Error(`not ${password} for ${username}`), { responseCode: 535 });
        callback(isOpen && password === PASSWORD ? null : refused, { user: username! });
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

  test('are created for due times by a job that runs from the start', async () => {
    const job = { job: 'tell-due-notices' };
    await eventually(async () => (await readMetrics(service.url)).sum('latchkey_job_runs_total', job) > 0);
    expect((await readMetrics(service.url)).sum('latchkey_job_failures_total', job)).toBe(0);
  });
});
