import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { systemsPath } from './systems-api.js';
import { RunningSystemsApi } from './testing/running-systems-api.js';

const all = systemsPath;
const first = `${all}/sys-1`;
const api = new RunningSystemsApi();

beforeEach(() => api.start());
afterEach(() => api.stop());

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
