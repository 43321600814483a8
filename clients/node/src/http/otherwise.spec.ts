import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuard } from '../guard.js';
import { denied, granted } from '../testing/answers.js';
import { EITHER } from '../testing/either.js';
import { GuardedApp } from '../testing/guarded-app.js';
import { serve, sendRaw } from '../testing/raw-http.js';

const app = new GuardedApp();
const { latchkey } = app;

beforeAll(() => app.start());
afterAll(() => app.stop());
beforeEach(() => {
  app.others.length = latchkey.questions.length = 0;
  latchkey.answers(denied());
});

describe('a route that takes API keys and the tokens of users', () => {
  it.each(EITHER)('sends a request with %s only to its own check', async (_, headers, judge) => {
    const { body } = await app.send('GET /both', headers);
    expect([latchkey.questions.length, app.others.length]).toEqual(judge === 'Latchkey' ? [1, 0] : [0, 1]);
    if (judge === 'Latchkey') expect(body).toBe('{"message":"invalid api key"}');
  });

  it('lets both in, and its handler can distinguish them', async () => {
    latchkey.answers(granted());
    expect(await app.send('GET /both')).toMatchObject({ status: 200, body: '{"actsAs":"owner-1"}' });
    const user = await app.send('GET /both', ['Authorization: Bearer eyJ.user.jwt']);
    expect(user).toMatchObject({ status: 200, body: '{"actsAs":"a user"}' });
    expect(user.headers).not.toHaveProperty('ratelimit');
  });

  it('refuses the tokens of users without `otherwise`', async () => {
    const user = await app.send('GET /systems', ['Authorization: Bearer eyJ.user.jwt']);
    expect([user.status, app.others]).toEqual([401, []]);
  });

  it('recognises keys by the prefix of the service', async () => {
    const guard = createGuard({ ...latchkey.options, serviceToken: 'token', keyPrefix: 'acme' });
    const server = await serve((req, res) =>
      res.setHeader('Content-Length', guard.isApiKey(req) ? 3 : 2).end(guard.isApiKey(req) ? 'yes' : 'no'),
    );
    const answerTo = async (key: string) => (await sendRaw(server, 'GET /', [`Authorization: Bearer ${key}`])).body;
    expect([await answerTo('acme_key'), await answerTo('lk_key'), await answerTo('acmelk_key')]).toEqual([
      'yes',
      'no',
      'no',
    ]);
    guard.close();
    server.close();
  });

  it('refuses an `otherwise` that is not a function, and an invalid prefix', () => {
    const otherwise = { default: () => undefined } as never;
    expect(() => app.guard.protect(null, { otherwise })).toThrow(/^otherwise must be a function/);
    const options = { ...latchkey.options, serviceToken: 'token', keyPrefix: 'lk_' };
    expect(() => createGuard(options)).toThrow(/^createGuard: keyPrefix/);
  });
});
