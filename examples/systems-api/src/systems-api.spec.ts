import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { granted } from '../../../clients/node/src/testing/answers.js';
import { systemsPath } from './systems-api.js';
import { RunningSystemsApi } from './testing/running-systems-api.js';

const all = systemsPath;
const first = `${all}/sys-1`;
const api = new RunningSystemsApi();

beforeEach(() => api.start());
afterEach(() => api.stop());

describe('requests with a key that has the permission', () => {
  it('list and find systems', async () => {
    expect(await api.call('GET', all)).toMatchObject({ status: 200, body: { items: api.inventory.list() } });
    expect(await api.call('GET', first)).toMatchObject({ status: 200, body: api.inventory.find('sys-1') });
    expect((await api.call('GET', all, undefined, 'reader')).status).toBe(200);
    expect((await api.call('HEAD', first, undefined, 'reader')).status).toBe(200);
  });

  it('create a system and record the owner of the key', async () => {
    const { status, headers, body } = await api.call('POST', all, '{"name":" mailer ","environment":"staging"}');
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ name: 'mailer', environment: 'staging', updatedBy: 'owner-1' }),
    ]);
    expect(headers.get('location')).toBe(`${systemsPath}/${body.id}`);
    expect(api.inventory.find(body.id)).toEqual(body);
  });

  it('change a system and record the owner of the key', async () => {
    const { body } = await api.call('PATCH', first, '{"environment":"development"}');
    expect(body).toMatchObject({ name: 'billing-database', environment: 'development', updatedBy: 'owner-1' });
  });

  it('get the allowed methods with OPTIONS', async () => {
    const { status, headers } = await api.sendRaw(`OPTIONS ${systemsPath}`, 'reader');
    expect(status).toBe(200);
    expect(headers.allow).toContain('POST');
  });
});

describe('the guard', () => {
  it('refuses requests without a key on every path', async () => {
    for (const path of [all, first, `${all}/no/such/path`]) {
      expect(await api.call('GET', path, undefined, '')).toMatchObject({
        status: 401,
        body: { message: 'invalid api key' },
      });
    }
  });

  it('runs before the body parser', async () => {
    expect((await api.call('POST', all, '{not json', '')).status).toBe(401);
    expect((await api.call('POST', all, JSON.stringify({ name: 'x'.repeat(99_999) }), '')).status).toBe(401);
  });

  it('refuses a write with a read-only key, and names the missing permission', async () => {
    const { status, headers, body } = await api.call('POST', all, '{"name":"mailer"}', 'reader');
    expect([status, body]).toEqual([403, { message: 'operation not allowed' }]);
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="systems:write"');
    expect(api.inventory.list()).toHaveLength(3);
  });

  it('lets a key that is limited to one system read this one and nothing else', async () => {
    const get = async (path: string) => (await api.call('GET', path, undefined, 'reader-of-sys-1')).status;
    expect(await get(first)).toBe(200);
    for (const path of [all, `${all}/sys-2`, `${first}/x`, `${first}%2Fx`, `${all}/sys-2%2F..%2Fsys-1`]) {
      expect([path, await get(path)]).toEqual([path, 403]);
    }
    const refused = await api.call('GET', `${all}/sys-2`, undefined, 'reader-of-sys-1');
    expect(refused.headers.get('www-authenticate')).toContain('scope="systems/sys-2:read"');
  });

  it('checks each request once', async () => {
    const requests = [
      `GET ${all}`,
      `GET ${first}`,
      `OPTIONS ${all}`,
      `OPTIONS ${first}`,
      `PUT ${first}`,
      `GET ${all}/a/b`,
    ];
    for (const request of requests) {
      const before = api.latchkey.questions.length;
      await api.sendRaw(request, 'writer');
      expect([request, api.latchkey.questions.length - before]).toEqual([request, 1]);
    }
  });

  it('refuses to destroy with any key', async () => {
    expect((await api.call('DELETE', first)).status).toBe(403);
    expect(api.inventory.find('sys-1')).toBeDefined();
    const propfind = await api.sendRaw(`PROPFIND ${systemsPath}`, 'writer');
    expect(propfind.status).toBe(403);
  });

  it('answers 401 to an unknown method without a valid key, not 403', async () => {
    expect((await api.sendRaw(`PROPFIND ${systemsPath}`, 'nobody')).status).toBe(401);
  });
});

describe('/livez', () => {
  it('needs no key', async () => expect(await api.call('GET', '/livez', undefined, '')).toMatchObject({ status: 200 }));
});

describe('DELETE, if the guard allowed it', () => {
  it('decommissions', async () => {
    api.latchkey.answers(granted());
    expect((await api.call('DELETE', first)).status).toBe(204);
    expect((await api.call('DELETE', first)).status).toBe(404);
  });
});

describe('error answers', () => {
  it.each([
    ['{not json', 'not valid JSON'],
    ['[]', 'JSON object'],
    ['{}', 'name or environment is required'],
    ['{"environment":"staging"}', 'name is required'],
    ['{"name":"  "}', '1 to 64'],
    [`{"name":"${'x'.repeat(65)}"}`, '1 to 64'],
    ['{"name":7}', '1 to 64'],
    ['{"name":"a","environment":"moon"}', 'environment must be'],
    ['{"name":"a","updatedBy":"me"}', 'unknown field'],
    ['{"name":"a","__proto__":{}}', 'unknown field'],
  ])('answer a create with %s with 400', async (body, message) => {
    expect(await api.call('POST', all, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message) },
    });
  });

  it.each([
    ['GET', `${all}/sys-404`, undefined, 404],
    ['PATCH', `${all}/sys-404`, '{"name":"a"}', 404],
    ['PATCH', first, '{}', 400],
    ['PATCH', first, undefined, 400],
    ['PUT', first, '{"name":"a"}', 404],
    ['GET', `${all}/%zz`, undefined, 400],
    ['GET', '/elsewhere', undefined, 404],
    ['POST', all, JSON.stringify({ name: 'x'.repeat(99_999) }), 413],
  ])('answer %s %s with a JSON message', async (method, path, body, status) => {
    expect(await api.call(method, path, body)).toMatchObject({ status, body: { message: expect.any(String) } });
  });

  it('do not reveal the cause of an unexpected failure', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    jest.spyOn(api.inventory, 'list').mockImplementation(() => {
      throw new Error('disk 7 is on fire');
    });
    expect(await api.call('GET', all)).toMatchObject({ status: 500, body: { message: 'internal error' } });
    expect(log).toHaveBeenCalled();
    log.mockRestore();
  });
});
