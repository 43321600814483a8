import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, rotateKey, themselves } from '#test/support/application/calls.js';
import { type MailServer, startMailServer, type ReceivedMail } from '#test/support/platform/mail-server.js';
import { Addressees } from '#application/notices/notify-owners.js';
import { channelsOf, NOTICE_TYPES, type NoticeData, noticeData, type NoticeType } from '#domain/notices/key-notice.js';
import { DAY_MS } from '#domain/time.js';
import { readConfig } from '#config/config.js';
import { MailReceiver } from './mail-receiver.js';

const app = openFakes();
const MAILED = NOTICE_TYPES.filter((type) => channelsOf(type, { webhook: false, mail: true }).length > 0);
const PUBLIC_URL = 'https://keys.example.com';

let server: MailServer;
let receiver: MailReceiver;
const SIGNAL = new AbortController().signal;
beforeAll(async () => {
  server = await startMailServer();
  const { mail } = readConfig({
    DEMO: '1',
    DATABASE_URL: 'postgres://db/x',
    SMTP_URL: `smtp://${server.place}`,
    MAIL_FROM: '"Keys, Inc." <keys@example.com>',
  });
  receiver = new MailReceiver(mail!, PUBLIC_URL, new Addressees(app.accounts, app.keys));
});
afterAll(() => server.stop());
beforeEach(() => void server.mails.splice(0));

interface Given {
  readonly email?: string;
  readonly displayName?: string;
  readonly data?: Partial<NoticeData>;
}

const messageOf = (type: NoticeType, data: NoticeData, recipient: string | null = null) => ({
  id: randomUUID(),
  type,
  timestamp: app.store.now(),
  recipient,
  data,
});

/** Notifies the owner of a new key of 30 days, 25 days later. */
async function notify(type: NoticeType, { data, ...profile }: Given = {}) {
  const owner = await newOwner(app, { displayName: 'Ada Lovelace', ...profile });
  const { key, fullKey } = await createKey(app, owner.id, { name: 'Deploy bot', expiresInDays: 30 });
  app.store.pass(25 * DAY_MS);
  const facts = noticeData({ type, key, clientIp: '203.0.113.7' }, 1);
  const message = messageOf(type, { ...facts, ...data });
  await receiver.deliver(message, SIGNAL);
  return { owner, key, fullKey, message };
}

const only = (): ReceivedMail => {
  expect(server.mails).toHaveLength(1);
  return server.mails[0]!;
};

describe.each(MAILED)('a mail of %s', (type) => {
  test('goes only to the owner, from the configured sender, as text and HTML', async () => {
    const { owner } = await notify(type);
    const { recipients, from, to, text, html, attachments } = only();
    expect({ recipients, from, to, attachments }).toEqual({
      recipients: [owner.email],
      from: { name: 'Keys, Inc.', address: 'keys@example.com' },
      to: [{ name: 'Ada Lovelace', address: owner.email }],
      attachments: [],
    });
    for (const body of [text!, html!]) {
      expect(body).toContain('Hello Ada Lovelace,');
      expect(body).toContain('You get this mail because you have API keys at keys.example.com.');
    }
    expect(html).toContain('<html lang="en">');
  });

  test('names and links the key, and contains no secret of it', async () => {
    const { key, fullKey } = await notify(type);
    const { subject, text, html, raw } = only();
    const { publicPart, digest, ownerId } = key.snapshot();
    expect(subject).toMatch(/: Deploy bot$/);
    expect(text).toContain(`Key: Deploy bot\nBegins with: lk_${publicPart.slice(0, 12)}…\n`);
    expect(html).toContain(`<dd><bdi>lk_${publicPart.slice(0, 12)}…</bdi></dd>`);
    const url = `${PUBLIC_URL}/settings/api-keys?key=${key.id}`;
    expect(text).toContain(`:\n${url}\n`);
    expect(html!.match(/(?:src|href|url)\s*[=(]\s*["']?[^"'\s>]+/g)).toEqual([`href="${url}`]);
    for (const secret of [fullKey, publicPart, fullKey.slice(-64), digest.toString('hex'), ownerId]) {
      for (const part of [subject!, text!, html!]) expect(part).not.toContain(secret);
    }
    expect(raw).not.toContain(fullKey.slice(-16));
  });

  test('keeps its id on each attempt, is marked as automatic and contains no tracking', async () => {
    const { message } = await notify(type);
    await receiver.deliver(message, SIGNAL);
    const [first, second] = server.mails;
    expect(first!.messageId).toBe(`<${message.id}@example.com>`);
    expect(second!.messageId).toBe(first!.messageId);
    expect(Math.abs(Date.parse(first!.date!) - Date.now())).toBeLessThan(DAY_MS);
    expect(first!.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
    expect(first!.headers.map(({ key }) => key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
  });
});

describe('the text', () => {
  test('of a creation shows when and from where the key was created, and its expiry', async () => {
    await notify('api_key.created');
    const { subject, text } = only();
    expect(subject).toBe('A new API key was created: Deploy bot');
    expect(text).toMatch(/Created: .* UTC\nFrom the address: 203\.0\.113\.7\nExpires: .* UTC\n/);
  });

  test('of an idle key says when it ends unless it is used', async () => {
    const endsAt = new Date(app.store.now().getTime() + 32 * DAY_MS).toISOString();
    await notify('api_key.idle', { data: { endsAt } });
    const { subject, text } = only();
    expect(subject).toBe('Your API key ends in 7 days unless it is used: Deploy bot');
    expect(text).toContain('It ends in 7 days unless it is used before then.');
    expect(text).toMatch(/\nEnds: .* UTC\n/);
  });

  test('of a rotation says so, and names the key that is replaced', async () => {
    const { owner, key } = await notify('api_key.created');
    const { key: next } = await rotateKey(app, { ownerId: owner.id, id: key.id });
    await app.changeKeysOfOwner.rename(themselves(owner.id), key.id, { name: 'Old <bot>' }, client());
    const data = noticeData({ type: 'api_key.created', key: next, replacesKeyId: key.id }, 1);
    await receiver.deliver(messageOf('api_key.created', data), SIGNAL);
    const { subject, text, html } = server.mails[1]!;
    const prefix = `lk_${key.snapshot().publicPart.slice(0, 12)}…`;
    expect(subject).toBe('Your API key was rotated: Deploy bot');
    expect(text).toContain(`\nReplaces: ${prefix} (Old <bot>)\n`);
    expect(html).toContain(`<dt>Replaces</dt><dd><bdi>${prefix} (Old &lt;bot&gt;)</bdi></dd>`);
    for (const body of [text!, html!]) expect(body).not.toContain('A new API key was created');
  });

  test('of an expiry shows the days that are left when the mail is sent', async () => {
    const { message } = await notify('api_key.expiring');
    app.store.pass(3 * DAY_MS + 1);
    await receiver.deliver(message, SIGNAL);
    app.store.pass(DAY_MS);
    await receiver.deliver(message, SIGNAL);
    expect(server.mails.map(({ subject }) => subject)).toEqual([
      'Your API key expires in 5 days: Deploy bot',
      'Your API key expires in 2 days: Deploy bot',
      'Your API key expires within a day: Deploy bot',
    ]);
    expect(server.mails[0]!.text).toContain('To avoid an interruption, rotate it');
  });

  test('of a leak shows what happened, that the key was revoked, and what to do', async () => {
    await notify('api_key.leaked');
    const { subject, text } = only();
    expect(subject).toBe('Your API key leaked and was revoked: Deploy bot');
    expect(text).toMatch(/can’t be used any more[^]*Create a new key/);
    expect(text).not.toContain('Found');
  });

  test('of a leak shows who found the key and where, with a link', async () => {
    const url = 'https://git.example/x?a=1&b=2';
    await notify('api_key.leaked', { data: { leak: { source: 'GitLab', url } } });
    const { text, html } = only();
    expect(text).toContain(`\nFound by: GitLab\nFound at: ${url}\n`);
    const escaped = url.replace('&', '&amp;');
    expect(html).toContain(`<dd><bdi>GitLab</bdi></dd>`);
    expect(html).toContain(`<dd><bdi><a href="${escaped}" rel="noopener noreferrer">${escaped}</a></bdi></dd>`);
  });

  test.each([
    ['http://git.example/x'],
    ['javascript:alert(1)'],
    ['https://'],
    ['https://git.example@evil.example/'],
    ['repository 12, "x" <script>alert(1)</script>'],
  ])('of a leak shows as text what does not plainly lead to a site by https: %s', async (url) => {
    await notify('api_key.leaked', { data: { leak: { url } } });
    const { text, html } = only();
    expect(text).toContain(`\nFound at: ${url}\n`);
    expect(html!.match(/<a /g)).toHaveLength(1);
    expect(html).not.toContain('<script>');
  });

  test('of a leak masks a key in what the reporter wrote, and keeps it on one line', async () => {
    const url = `https://git.example/x?key=${KEY_AS_NAME}`;
    await notify('api_key.leaked', { data: { leak: { source: 'a\r\nBcc: eve@example.org \u202Ex', url } } });
    const { text, html, raw } = only();
    expect(text).toContain('\nFound by: a Bcc: eve@example.org x\n');
    expect(text).toContain(`\nFound at: ${url.slice(0, -64)}…\n`);
    for (const part of [text!, html!, raw]) expect(part).not.toContain('cd'.repeat(16));
  });

  test('of a new network shows the address and the time', async () => {
    await notify('api_key.used_from_new_network');
    const { subject, text } = only();
    expect(subject).toBe('Your API key was used from a new network: Deploy bot');
    expect(text).toMatch(/Address: 203\.0\.113\.7\nUsed: \d+ \w+ \d{4} at \d\d:\d\d UTC\n/);
  });
});

describe('a mail about a key of a service account', () => {
  const settings = { displayName: 'CI <bot>', kind: 'service', permissions: ['systems:read'] } as const;

  /** A key that Ada made, and a mail about it to each of them. */
  async function notifyAll(type: NoticeType, isRotated = false) {
    const [ada, bob] = [await newOwner(app), await newOwner(app, { displayName: 'Bob' })];
    const id = `bot-${randomUUID()}`;
    const email = `${id}@example.org`;
    const managers = [ada.id, bob.id];
    const bot = await app.putAccount.execute({ id, email, ...settings, managers });
    const acting = { personId: ada.id, ownerId: bot.id };
    const part = { access: 'read-only', name: 'Deploy bot', expiresInDays: 5 } as const;
    let { key } = await createKey(app, bot.id, { ...part, ...acting });
    const replacesKeyId = key.id;
    if (isRotated) key = (await rotateKey(app, { ownerId: bot.id, id: key.id }, acting)).key;
    const data = noticeData({ type, key, clientIp: '203.0.113.7', ...(isRotated && { replacesKeyId }) }, 1);
    for (const recipient of [null, ada.id, bob.id]) await receiver.deliver(messageOf(type, data, recipient), SIGNAL);
    const [toBot, toAda, toBob] = server.mails;
    return { ada, bob, bot, key, toBot: toBot!, toAda: toAda!, toBob: toBob! };
  }

  test.each(MAILED)('of %s says whose key it is, and leads to that account', async (type) => {
    const { ada, bob, bot, key, toBot, toAda, toBob } = await notifyAll(type);
    expect(server.mails.map(({ recipients }) => recipients)).toEqual([[bot.email], [ada.email], [bob.email]]);
    expect(toBot.text).toContain('\nAccount: CI <bot>\nKey: Deploy bot\n');
    for (const { text, html, subject } of [toAda, toBob]) {
      expect(text).toContain('\nAccount: CI <bot>, which you manage\nKey: Deploy bot\n');
      expect(html).toContain('<dt>Account</dt><dd><bdi>CI &lt;bot&gt;, which you manage</bdi></dd>');
      expect(text).toContain('You get this mail because you manage API keys at keys.example.com.');
      for (const part of [text, subject]) expect(part).not.toMatch(/your API keys?/i);
    }
    const url = `${PUBLIC_URL}/settings/api-keys?account=${bot.id}&key=${key.id}`;
    for (const { text } of server.mails) expect(text).toContain(`:\n${url}\n`);
  });

  test.each([
    ['creation', false, 'created', 'A new API key was created: Deploy bot'],
    ['rotation', true, 'rotated', 'An API key that you manage was rotated: Deploy bot'],
  ])('names who did a %s, and shows the address only to that person', async (_, isRotated, did, subject) => {
    const { toBot, toAda, toBob } = await notifyAll('api_key.created', isRotated);
    expect(toBob.subject).toBe(subject);
    const label = `${did === 'created' ? 'Created' : 'Rotated'} by: Ada`;
    for (const { text, raw } of [toBot, toBob]) {
      expect(text).toContain(`\n${label}\n`);
      expect(text).toContain(`If this person ${did} it,`);
      expect(raw).not.toContain('203.0.113.7');
    }
    expect(toAda.text).toContain('\nFrom the address: 203.0.113.7\n');
    expect(toAda.text).not.toContain(label);
    expect(toAda.text).toContain(`If you ${did} it,`);
  });
});

const EMOJI = '👩🏽‍🚀'.repeat(16);
const KEY_AS_NAME = `lk_${'ab'.repeat(12)}.${'cd'.repeat(32)}`;

describe('typed text', () => {
  test.each([
    ['<b>bold</b> & "quoted" <img src=x onerror=alert(1)>', undefined],
    ['two\r\nBcc: eve@example.org\r\n\r\nlines', 'two Bcc: eve@example.org lines'],
    ['turned \u202Edekover\u2066 round', 'turned dekover round'],
    [EMOJI, undefined],
    ['שלום — مفتاح', undefined],
    ['=?utf-8?B?PGI+?=', '= ?utf-8?B?PGI+?='],
    ['{{name}} ${name} %s $& &lt;', undefined],
    [KEY_AS_NAME, `${KEY_AS_NAME.slice(0, -64)}…`],
  ])('is not interpreted as the name of a key: %j', async (name, shown = name) => {
    const { owner } = await notify('api_key.created', { data: { name } });
    const { subject, text, html, recipients, headers } = only();
    expect(subject).toBe(`A new API key was created: ${shown}`);
    expect(text).toContain(`\nKey: ${shown}\n`);
    const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(html).toContain(`<dd><bdi>${escaped.replaceAll('"', '&quot;')}</bdi></dd>`);
    expect(html).not.toMatch(/<b>|<img/);
    expect([recipients, headers.filter(({ key }) => key === 'bcc')]).toEqual([[owner.email], []]);
  });

  test.each([
    ['Eve" <eve@example.org>, "', 'Eve" <eve@example.org>, "'],
    ['<b>Ada</b>', '<b>Ada</b>'],
    ['Ада \u202Eabc', 'Ада abc'],
    ['=?utf-8?Q?Eve?=', '= ?utf-8?Q?Eve?='],
  ])('is not interpreted as the name of a person: %j', async (displayName, shown) => {
    const { owner } = await notify('api_key.created', { displayName });
    const { to, recipients, text, html } = only();
    expect(recipients).toEqual([owner.email]);
    expect(to).toEqual([{ name: shown.trim(), address: owner.email }]);
    expect(text!.startsWith(`Hello ${shown.trim()},\n`)).toBe(true);
    expect(html).not.toContain('<b>');
  });

  test('may be empty: a person without a name is greeted too', async () => {
    await notify('api_key.created', { displayName: '' });
    expect(only().text!.startsWith('Hello,\n')).toBe(true);
  });

  test.each(["o'hara+keys@example.org", '"a,b"@example.org', 'ada@müller.example'])(
    'may be an unusual address: %s',
    async (email) => {
      await notify('api_key.created', { email: email.replace('@', `.${randomUUID().slice(0, 8)}@`) });
      expect(only().recipients).toHaveLength(1);
    },
  );
});
