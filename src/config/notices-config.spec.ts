import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';

const SAFE = {
  DATABASE_URL: 'postgres://latchkey@db/latchkey',
  SERVICE_TOKENS: `gateway:validator:${'1'.repeat(64)}`,
  PUBLIC_URL: 'https://keys.example.com',
};
const MAIL_FROM = 'keys@example.com';
const PASSWORD = 'S3cret';

const read = (env: NodeJS.ProcessEnv) => readConfig({ ...SAFE, ...env });

function problems(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const PLAIN = { requireTLS: false, tls: { rejectUnauthorized: true } };

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, auth: undefined, ...PLAIN }],
    ['smtps://mail.example.com/', { host: 'mail.example.com', port: 465, secure: true, auth: undefined, ...PLAIN }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025, secure: false, auth: undefined, ...PLAIN }],
    [
      'smtps://us%40er:p%40ss%2F@10.0.0.7',
      { host: '10.0.0.7', port: 465, secure: true, auth: { user: 'us@er', pass: 'p@ss/' }, ...PLAIN },
    ],
    [
      'smtp://user:pass@mail',
      { host: 'mail', port: 587, secure: false, auth: { user: 'user', pass: 'pass' }, ...PLAIN, requireTLS: true },
    ],
    [
      'smtp://user:pass@localhost',
      { host: 'localhost', port: 587, secure: false, auth: { user: 'user', pass: 'pass' }, ...PLAIN },
    ],
    [
      'smtp://user:pass@mail?tls=opportunistic',
      { host: 'mail', port: 587, secure: false, auth: { user: 'user', pass: 'pass' }, ...PLAIN },
    ],
  ])('is accepted: %s', (SMTP_URL, smtp) => expect(read({ SMTP_URL, MAIL_FROM }).mail?.smtp).toEqual(smtp));

  const OPTIONS = 'may have the options tls=opportunistic and tls.rejectUnauthorized=false alone';
  test.each([
    [`http://user:${PASSWORD}@mail`, 'must be a URL that starts with smtp:// or smtps://'],
    ['mail.example.com', 'must be a URL that starts with smtp:// or smtps://'],
    ['smtp://', 'must name a host, in ASCII'],
    ['smtp:mail', 'must name a host, in ASCII'],
    ['smtp://müller.example', 'must name a host, in ASCII'],
    ['smtp://mail:0', 'must name a port from 1 to 65535, or none'],
    ['smtp://mail/inbox', 'may have only ?options after its host and port'],
    ['smtp://mail#top', 'may have only ?options after its host and port'],
    ['smtp://user@mail', 'must have both a user and a password, or neither'],
    [`smtp://:${PASSWORD}@mail`, 'must have both a user and a password, or neither'],
    [`smtp://user:${PASSWORD}#@mail`, expect.stringContaining('has a password that must be percent-encoded')],
    [`smtp://mail?debug=${PASSWORD}`, OPTIONS],
    ['smtp://mail?tls=true', OPTIONS],
    [`smtp://user:${PASSWORD}@mail?ignoreTLS=true`, OPTIONS],
  ])('stops the start in one line without the password: %s', (SMTP_URL, problem) => {
    const lines = problems({ SMTP_URL, MAIL_FROM });
    expect(lines.map((line) => line.replace(/^SMTP_URL /, ''))).toEqual([problem]);
    expect(lines.join()).not.toContain(PASSWORD);
  });
});

describe('MAIL_FROM', () => {
  test.each([
    ['keys@example.com', '', 'keys@example.com'],
    [' Example Keys <keys@example.com> ', 'Example Keys', 'keys@example.com'],
    ['"Keys, Inc." <keys@example.com>', 'Keys, Inc.', 'keys@example.com'],
    ['Schlüssel <keys@müller.example>', 'Schlüssel', 'keys@müller.example'],
    ['<keys@example.com>', '', 'keys@example.com'],
  ])('is accepted: %s', (from, name, address) => {
    expect(read({ SMTP_URL: 'smtp://mail', MAIL_FROM: from }).mail?.from).toEqual({ name, address });
  });

  test.each([
    'Example Keys',
    'keys',
    'a@b.example, c@d.example',
    'Keys <keys@example.com',
    'Keys\r\nBcc: x <a@b.example>',
  ])('stops the start if it is invalid: %j', (from) =>
    expect(problems({ SMTP_URL: 'smtp://mail', MAIL_FROM: from })).toEqual([
      'MAIL_FROM must be an email address, as keys@example.com or Example Keys <keys@example.com>',
    ]),
  );

  test('is required with SMTP_URL, and the other way round', () => {
    expect(problems({ MAIL_FROM })).toEqual(['SMTP_URL is missing: it is needed with MAIL_FROM']);
    expect(problems({ SMTP_URL: 'smtp://mail' })).toEqual(['MAIL_FROM is missing: it is needed with SMTP_URL']);
    expect(read({ SMTP_URL: '', MAIL_FROM: '' }).mail).toBeUndefined();
  });
});

describe('EXPIRY_NOTICE_DAYS', () => {
  test.each([
    ['30,7,1', [30, 7, 1]],
    [' 364 , 1', [364, 1]],
    ['14', [14]],
    ['', []],
  ])('is accepted: %j', (EXPIRY_NOTICE_DAYS, days) => {
    expect(read({ EXPIRY_NOTICE_DAYS }).expiryNoticeDays).toEqual(days);
  });

  test('is 30, 7 and 1 by default', () => expect(read({}).expiryNoticeDays).toEqual([30, 7, 1]));

  test.each([
    ['30,0', 'EXPIRY_NOTICE_DAYS entry 2 must be a whole number from 1 to 364'],
    ['365', 'EXPIRY_NOTICE_DAYS entry 1 must be a whole number from 1 to 364'],
    ['7 days', 'EXPIRY_NOTICE_DAYS entry 1 must be a whole number from 1 to 364'],
    ['1.5', 'EXPIRY_NOTICE_DAYS entry 1 must be a whole number from 1 to 364'],
    ['7,1,7', 'EXPIRY_NOTICE_DAYS must not contain a number twice'],
  ])('stops the start if it is invalid: %j', (days, problem) =>
    expect(problems({ EXPIRY_NOTICE_DAYS: days })).toEqual([problem]),
  );
});

describe('WEBHOOK_URL and WEBHOOK_SECRET', () => {
  const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  const WEBHOOK_URL = 'https://hooks.example.com/in?tenant=1';

  test('are optional: without them there is no receiver', () => {
    expect(read({})).toMatchObject({ webhook: undefined, noticeReceivers: { webhook: false, mail: false } });
  });

  test.each([24, 32, 64])('accept a secret of %i bytes', (bytes) => {
    const { webhook, noticeReceivers } = read({ WEBHOOK_URL, WEBHOOK_SECRET: secret(bytes) });
    expect(noticeReceivers.webhook).toBe(true);
    expect(webhook!.url).toBe(WEBHOOK_URL);
    expect(webhook!.secrets.map((key) => key.export())).toEqual([Buffer.alloc(bytes, 7)]);
  });

  test('accept two secrets while one is replaced', () => {
    const { webhook } = read({ WEBHOOK_URL, WEBHOOK_SECRET: `${secret(24)}, ${secret(32)}` });
    expect(webhook!.secrets.map((key) => key.symmetricKeySize)).toEqual([24, 32]);
  });

  test.each([
    ['too short', secret(23)],
    ['too long', secret(65)],
    ['without its beginning', secret(32).slice(6)],
    ['not in base64', `${secret(32)}!`],
  ])('refuse a secret that is %s, without printing it', (_, wrong) => {
    const lines = problems({ WEBHOOK_URL, WEBHOOK_SECRET: `${secret(24)},${wrong}` });
    expect(lines).toEqual([expect.stringMatching(/^WEBHOOK_SECRET entry 2 must be whsec_ and 24 to 64 random bytes/)]);
    expect(lines.join()).not.toContain(wrong);
  });

  test.each([
    [{ WEBHOOK_URL }, 'WEBHOOK_SECRET is missing: it is needed with WEBHOOK_URL'],
    [{ WEBHOOK_SECRET: secret(32) }, 'WEBHOOK_URL is missing: it is needed with WEBHOOK_SECRET'],
    [{ WEBHOOK_URL, WEBHOOK_SECRET: ' , ' }, 'WEBHOOK_SECRET contains no secret'],
    [
      { WEBHOOK_URL: 'ftp://hooks.example.com', WEBHOOK_SECRET: secret(32) },
      'WEBHOOK_URL must be a URL that starts with http:// or https://',
    ],
    [
      { WEBHOOK_URL: 'http://hooks.example.com', WEBHOOK_SECRET: secret(32) },
      'WEBHOOK_URL must start with https:// where its host is public: names of keys would cross the Internet unencrypted',
    ],
    [
      { WEBHOOK_URL: 'https://user:word@hooks.example.com', WEBHOOK_SECRET: secret(32) },
      'WEBHOOK_URL must not contain a user or a password: the signature proves the sender',
    ],
  ])('are refused if one is missing or invalid: %j', (env, problem) => expect(problems(env)).toEqual([problem]));

  test.each(['http://127.0.0.1:9000/in', 'http://hooks.platform.svc.cluster.local', 'http://10.0.0.7'])(
    'allow http for a receiver on a private network: %s',
    (url) => expect(problems({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret(32) })).toEqual([]),
  );
});
