import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, newOwner as putOwner, openApplication } from '../support/application/application.js';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/platform/mail-server.js';
import { startServiceHere, type Service } from '../support/processes/service.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

const PASSWORD = 'S3cret-of-mail';

describe('what happens to keys is told to their owners by mail', () => {
  let server: MailServer;
  let isOpen = true;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  let printed: PrintedLog;
  /** Of a key with six days left, whose owner nobody has told yet. */
  let expiring: { readonly email: string; readonly keyId: string };

  beforeAll(async () => {
    server = await MailServer.start({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) => {
        const refused = Object.assign(new Error(`not ${password} for ${username}`), { responseCode: 535 });
        callback(isOpen && password === PASSWORD ? null : refused, { user: username! });
      },
    });
    database = await createDatabase();
    const app = await openApplication(database.url);
    const { id, email } = await putOwner(app);
    const { key } = await createKey(app, id, { expiresInDays: 30 });
    await app.sql(
      `UPDATE api_keys SET created_at = created_at - interval '24 days', expires_at = expires_at - interval '24 days'`,
    );
    await app.close();
    expiring = { email, keyId: key.id };

    printed = new PrintedLog();
    service = await startServiceHere({
      DATABASE_URL: database.url,
      LOG_LEVEL: 'debug',
      SMTP_URL: `smtp://keys:${PASSWORD}@${server.place}`,
      MAIL_FROM: 'Keys <keys@example.com>',
    });
  });
  afterAll(async () => {
    await service.stop();
    printed.stop();
    await server.stop();
    await database.drop();
  });

  const mailTo = (email: string) =>
    eventually(async () => server.mails.find(({ recipients }) => recipients[0] === email));
  const waiting = () => sql<{ last_error: string | null }>(database.url, 'SELECT last_error FROM outbox');

  test('of a coming expiry, when the clock says so', async () => {
    const { subject, text, user } = await mailTo(expiring.email);
    expect([subject, user]).toEqual(['Your API key expires in 6 days: CI', 'keys']);
    expect(text).toContain(`${service.url}/settings/api-keys?key=${expiring.keyId}\n`);
    await eventually(async () => (await waiting()).length === 0);
  });

  test('of a creation, at last, when the server has refused the login: the password is on no line, and in no table', async () => {
    isOpen = false;
    const { email, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ name: 'Ünïcode <b>' });
    const why = await eventually(async () => (await waiting())[0]?.last_error);
    expect(why).toBe('Invalid login: 535 not … for keys');
    await eventually(async () => printed.text.includes('The mail server (SMTP_URL)'));

    isOpen = true;
    await eventually(async () => {
      await sql(database.url, 'UPDATE outbox SET next_try_at = clock_timestamp()');
      return (await waiting()).length === 0;
    });
    const mail = await mailTo(email);
    expect(mail.subject).toBe('A new API key was created: Ünïcode <b>');
    expect(mail.text).toContain(`Begins with: ${apiKey.prefix}\n`);
    expect(mail.text).toContain('From the address: 127.0.0.1\n');
    for (const part of [mail.raw, mail.text!, mail.html!]) expect(part).not.toContain(fullKey.slice(-16));
    expect(printed.text).not.toContain(PASSWORD);
    expect(printed.text).not.toContain(email);
  });

  test('and a person who was purged meanwhile is told nothing', async () => {
    isOpen = false;
    const { id, email, person } = await newOwner(service);
    await person.newKey();
    await eventually(async () => (await waiting()).some(({ last_error: why }) => why));
    await service.clients.purgeAccount(id);
    expect(await waiting()).toEqual([]);
    expect(server.mails.some(({ recipients }) => recipients.includes(email))).toBe(false);
  });
});
