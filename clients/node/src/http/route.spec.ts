import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { denied, granted } from '../testing/answers.js';
import { GuardedApp } from '../testing/guarded-app.js';
import { operationOf } from '../operation.js';
import { isApiKeyBy } from './http-request.js';
import { questionFrom, routeWith } from './route.js';
import { filledIn, permissionFor } from './permission.js';

describe('the question for the service', () => {
  const app = new GuardedApp();
  const { latchkey } = app;

  beforeAll(() => app.start());
  afterAll(() => app.stop());
  beforeEach(() => {
    latchkey.questions.length = 0;
    latchkey.answers(granted());
  });

  const lastQuestion = () => latchkey.questions.at(-1);

  it.each([
    ['serverless-http, which leaves rawHeaders empty', []],
    ['a mock without rawHeaders', undefined],
  ])('reads the headers of %s, and shows two Authorization headers where they can be seen', (_, rawHeaders) => {
    const asked = (authorization: string | string[]) => {
      const headers = { authorization, 'user-agent': 'curl/8' } as IncomingHttpHeaders;
      const request = { method: 'GET', rawHeaders: rawHeaders!, headers, socket: {} };
      return questionFrom(request, 'systems:read', 'READ');
    };
    expect(asked('Bearer one')).toMatchObject({ authorization: ['Bearer one'], userAgent: 'curl/8', clientIp: '' });
    expect(asked(['Bearer one', 'Bearer two']).authorization).toEqual(['Bearer one', 'Bearer two']);
    expect(isApiKeyBy('lk')({ rawHeaders: rawHeaders!, headers: { authorization: 'Bearer lk_x' } })).toBe(true);
  });

  it('never reads the key from the query string', async () => {
    latchkey.answers(denied());
    const secret = 'lk_secret';
    const query = `?api_key=${secret}&apikey=${secret}&key=${secret}&access_token=${secret}&authorization=Bearer%20${secret}`;
    expect(await app.send(`GET /systems${query}`, [])).toMatchObject({ status: 401 });
    expect(lastQuestion()).toMatchObject({ authorization: '' });
    expect(JSON.stringify(latchkey.questions)).not.toContain(secret);
  });

  it('is empty for two Authorization headers', async () => {
    latchkey.answers(denied());
    await app.send('GET /systems', ['Authorization: Bearer one', 'authorization: Bearer two']);
    expect(lastQuestion()).toMatchObject({ credential: 'authorization', authorization: '' });
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
  ])('names the operation of %s as %s', async (method, operation, permission) => {
    await app.send(`${method} /systems`);
    expect(lastQuestion()).toMatchObject({ operation: `OPERATION_${operation}`, permission });
  });

  it('has the operation that a route sets instead of the one of its method', async () => {
    await app.send('POST /search');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_READ', permission: 'systems:read' });
  });

  it('has the operation and the permission of a method that a route redefines', async () => {
    await app.send('REPORT /reports');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_READ', permission: 'systems:read' });
    await app.send('POST /reports');
    expect(lastQuestion()).toMatchObject({ operation: 'OPERATION_WRITE', permission: 'systems:write' });
  });

  it('cannot be made for a route with invalid operations', () => {
    expect(() => app.guard.protect(null, { operation: 'read' as never })).toThrow(/^operation must be one of READ/);
    expect(() => app.guard.protect(null, { operations: { report: 'READ' } })).toThrow(/^operations: "report"/);
  });
});

const check = () => Promise.reject(new Error('unexpected validation'));
const makeRoute = routeWith({ check, operationOf });

describe('the permission of a route', () => {
  it.each([undefined, '', 'systems', 'systems:', ':read', 'systems:*', 'a b:read', {}, { read: 'systems:read' }])(
    'refuses to protect a route by %j',
    (permission) => {
      expect(() => makeRoute(permission as never)).toThrow(/^permission: .* is not of the form resource:action/);
    },
  );

  it.each([
    'systems/{id:read',
    'systems/id}:read',
    'systems/{}:read',
    'systems/{a b}:read',
    'systems/{{id}}:read',
    'systems/sys-{id}:read',
    'systems/{id}{part}:read',
    'systems/{id}/:read',
    'systems//{id}:read',
    'systems/../{id}:read',
    'systems/{id}:{action}',
    'systems/{id}:Read',
    `${'s'.repeat(100)}/{id}:read`,
    { read: 'systems/{id}:read', write: 'systems/{id:write' },
  ])('refuses a placeholder that is no whole part of a resource: %j', (permission) => {
    const message = /^permission: .* is not of the form (systems\/\{id\}:read|resource:action)/;
    expect(() => makeRoute(permission)).toThrow(message);
  });

  it('is the one for reads or the one for everything else', () => {
    const both = { read: 'systems:read', write: 'systems:write' };
    expect(permissionFor('READ', both)).toBe('systems:read');
    expect(permissionFor('WRITE', both)).toBe('systems:write');
    expect(permissionFor('DESTROY', both)).toBe('systems:write');
    expect(permissionFor('WRITE', 'systems:admin')).toBe('systems:admin');
    expect(permissionFor('READ', null)).toBe('');
  });
});

describe('the parameters of a route', () => {
  const OF_SYSTEM = 'systems/{id}:read';

  it.each([
    ['systems:read', undefined, 'systems:read'],
    [OF_SYSTEM, { id: 'sys-1' }, 'systems/sys-1:read'],
    [OF_SYSTEM, { id: 'a..b', other: '/' }, 'systems/a..b:read'],
    [OF_SYSTEM, { id: '.hidden' }, 'systems/.hidden:read'],
    [OF_SYSTEM, { id: 'x'.repeat(92) }, `systems/${'x'.repeat(92)}:read`],
    ['{tenant}/systems/{id}:read', { tenant: 'acme', id: '7' }, 'acme/systems/7:read'],
    ['{id}/{id}:read', { id: '$1' }, undefined],
    ['{id}/{id}:read', { id: 'a' }, 'a/a:read'],
    ['{tenant}/systems:read', { tenant: '-acme' }, undefined],
    ['a/{constructor}:read', {}, undefined],
  ])('fill %s with %j to %s', (permission, params, filled) => expect(filledIn(permission, params)).toBe(filled));

  it.each([
    ['a slash', 'sys-1/x'],
    ['an encoded slash', 'sys-1%2Fx'],
    ['a percent sign', '100%'],
    ['a backslash', 'sys-1\\x'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['three dots', '...'],
    ['nothing', ''],
    ['a blank', 'sys 1'],
    ['a line break', 'sys-1\n'],
    ['a NUL', 'sys-1\0'],
    ['a colon', 'sys-1:read'],
    ['an asterisk', '*'],
    ['a placeholder', '{id}'],
    ['a letter beyond ASCII', 's\u00fcs'],
    ['a Cyrillic look-alike', 's\u0443s'],
    ['more than a resource can have', 'x'.repeat(93)],
    ['several values', ['sys-1', 'x'] as unknown],
    ['a number', 7],
    ['no value', undefined],
  ])('are not filled in with %s', (_, id) => expect(filledIn(OF_SYSTEM, { id })).toBeUndefined());

  it.each([undefined, null, 'id', {}])('are not filled in from %j', (params) => {
    expect(filledIn(OF_SYSTEM, params)).toBeUndefined();
  });
});
