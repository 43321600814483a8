import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { denied, granted } from '../testing/answers.js';
import { GuardedApp } from '../testing/guarded-app.js';

const app = new GuardedApp();
const { latchkey } = app;

beforeAll(() => app.start());
afterAll(() => app.stop());
beforeEach(() => {
  latchkey.questions.length = 0;
  latchkey.answers(granted());
});

const lastQuestion = () => latchkey.questions.at(-1);

describe('what the service is asked', () => {
  it('never reads the key from the query string', async () => {
    latchkey.answers(denied());
    const secret = 'lk_secret';
    const query = `?api_key=${secret}&apikey=${secret}&key=${secret}&access_token=${secret}&authorization=Bearer%20${secret}`;
    expect(await app.send(`GET /systems${query}`, [])).toMatchObject({ status: 401 });
    expect(lastQuestion()).toMatchObject({ authorization: '' });
    expect(JSON.stringify(latchkey.questions)).not.toContain(secret);
  });

  it('shows the service both of two Authorization headers, as what can be no key', async () => {
    latchkey.answers(denied());
    await app.send('GET /systems', ['Authorization: Bearer one', 'authorization: Bearer two']);
    expect(lastQuestion()).toMatchObject({ authorization: 'Bearer one, Bearer two' });
  });

  it('carries bytes beyond ASCII', async () => {
    const headers = ['Authorization: Bearer \xff\xfe\x80', 'User-Agent: a\xe9b\x85', 'X-Request-Id: \xa0id'];
    expect(await app.send('GET /systems', headers)).toMatchObject({ status: 200 });
    expect(lastQuestion()).toMatchObject({
      authorization: 'Bearer \xff\xfe\x80',
      userAgent: 'a\xe9b',
      requestId: '\xa0id',
    });
  });

  it('sends the client address, user agent and request id', async () => {
    await app.send('GET /systems', ['User-Agent: curl/8', 'X-Request-Id: id-1']);
    expect(lastQuestion()).toMatchObject({ clientIp: '127.0.0.1', userAgent: 'curl/8', requestId: 'id-1' });
  });

  it.each([
    ['GET', 'READ', 'systems:read'],
    ['HEAD', 'READ', 'systems:read'],
    ['OPTIONS', 'READ', 'systems:read'],
    ['PUT', 'WRITE', 'systems:write'],
    ['DELETE', 'DESTROY', 'systems:write'],
    ['PROPFIND', 'DESTROY', 'systems:write'],
    ['TRACE', 'DESTROY', 'systems:write'],
  ])('asks for %s as %s', async (method, operation, permission) => {
    await app.send(`${method} /systems`);
    expect(lastQuestion()).toMatchObject({ operation: `OPERATION_${operation}`, permission });
  });

  it('lets a route say what it does where the method does not', async () => {
    await app.send('POST /search');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_READ', permission: 'systems:read' });
  });

  it('lets a route say what methods stand for there, and asks for the permission that goes with it', async () => {
    await app.send('REPORT /reports');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_READ', permission: 'systems:read' });
    await app.send('POST /reports');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_WRITE', permission: 'systems:write' });
  });

  it('refuses a route whose operations are none', () => {
    expect(() => app.guard.protect(null, { operation: 'read' as never })).toThrow(/^operation must be one of READ/);
    expect(() => app.guard.protect(null, { operations: { report: 'READ' } })).toThrow(/^operations: "report"/);
  });
});
