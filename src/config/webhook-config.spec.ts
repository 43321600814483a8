import { describe, expect, test } from '@jest/globals';
import { readNoticeReceivers } from './config.js';
import { Settings } from './settings.js';
import { readWebhook } from './webhook-config.js';

const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
const WEBHOOK_URL = 'https://hooks.example.com/in?tenant=1';

function read(env: NodeJS.ProcessEnv) {
  const settings = new Settings(env);
  return { webhook: readWebhook(settings), problems: settings.problems, receivers: readNoticeReceivers(settings) };
}

describe('WEBHOOK_URL and WEBHOOK_SECRET', () => {
  test('are optional: without them there is no receiver', () => {
    expect(read({})).toEqual({ webhook: undefined, problems: [], receivers: { webhook: false, mail: false } });
  });

  test.each([24, 32, 64])('accept a secret of %i bytes', (bytes) => {
    const { webhook, problems, receivers } = read({ WEBHOOK_URL, WEBHOOK_SECRET: secret(bytes) });
    expect(problems).toEqual([]);
    expect(receivers.webhook).toBe(true);
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
    const { problems } = read({ WEBHOOK_URL, WEBHOOK_SECRET: `${secret(24)},${wrong}` });
    expect(problems).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET entry 2 must be whsec_ and 24 to 64 random bytes/),
    ]);
    expect(problems.join()).not.toContain(wrong);
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
  ])('are refused if one is missing or invalid: %j', (env, problem) => expect(read(env).problems).toEqual([problem]));

  test.each(['http://127.0.0.1:9000/in', 'http://hooks.platform.svc.cluster.local', 'http://10.0.0.7'])(
    'allow http for a receiver on a private network: %s',
    (url) => expect(read({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret(32) }).problems).toEqual([]),
  );
});
