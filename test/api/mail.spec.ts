import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD as OWNER_PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/platform/mail-server.js';
import { startService, type Service } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { sql } from '../support/stores/sql.js';

const PASSWORD = 'S3cret-of-mail';

describe('the notices by mail', () => {
  let server: MailServer;
  let isOpen = true;
  let refused: string | undefined;
  let service: Service;
  beforeAll(async () => {
    server = await MailServer.start({
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
