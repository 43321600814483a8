import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'routes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param content of the file that the variable names: a string is written as it is, anything else as JSON */
function read(content: unknown) {
  const file = join(folder, 'routes.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const env = { DATABASE_URL: 'postgres://db/latchkey', DEMO: '1', FORWARD_AUTH_ROUTES: file };
  try {
    return { routes: readConfig(env).forwardAuthRoutes };
  } catch (error) {
    return { problems: (error as ConfigError).problems };
  }
}
const GOOD = { method: 'GET', path: '/systems/*', operation: 'read', permission: 'systems:read', host: undefined };
const PATH = 'must have a path such as /systems/*: * or {id} stands for one segment, ** at the end for the rest';
const PERMISSION = 'must have a permission such as systems:read or systems/{id}:read, or "" where none is needed';

describe('FORWARD_AUTH_ROUTES', () => {
  test('names a file with methods, paths, operations and permissions, in order', () => {
    const closed = { method: '*', path: '/**', permission: '' };
    expect(read([GOOD, closed])).toEqual({ routes: [GOOD, { ...closed, operation: undefined, host: undefined }] });
    expect(read([])).toEqual({ routes: [] });
  });

  test.each([
    '/',
    '/**',
    '/a',
    '/a/',
    '/*/b/*',
    '/a/**',
    '/.well-known/x',
    '/größe',
    '/a b',
    '/{id}',
    '/{tenant}/a/{id}/**',
  ])('accepts the path %s', (path) => expect(read([{ ...GOOD, path }])).toEqual({ routes: [{ ...GOOD, path }] }));

  test('takes segments of the path into the permission', () => {
    const route = { ...GOOD, path: '/{tenant}/systems/{id}', permission: '{tenant}/systems/{id}:read' };
    expect(read([route])).toEqual({ routes: [route] });
  });

  test.each<[string, object]>([
    ['must be an object with method, path and permission', []],
    ['must have no fields but method, host, path, operation, permission', { ...GOOD, premission: 'a:read' }],
    ['must have a method in capitals, or * for any', { ...GOOD, method: 'get' }],
    ['must have a method in capitals, or * for any', { ...GOOD, method: undefined }],
    ...[
      'systems',
      '',
      '//',
      '/a//b',
      '/a/**/b',
      '/a/b*',
      '/a/../b',
      '/./a',
      '/a%20b',
      '/a?b',
      '/a#b',
      '/a;b',
      '/a\\b',
      '/{',
      '/{}',
      '/a{id}',
      '/{id}{part}',
      '/{a b}',
    ].map((path): [string, object] => [PATH, { ...GOOD, path }]),
    [PATH, { ...GOOD, path: 7 }],
    [
      'must have one of the operations read, write, destroy, manage-api-keys, manage-account, impersonate, or none',
      { ...GOOD, operation: 'delete' },
    ],
    [PERMISSION, { ...GOOD, permission: 'systems:*' }],
    [PERMISSION, { ...GOOD, permission: undefined }],
    [PERMISSION, { ...GOOD, path: '/systems/{id}', permission: 'systems/sys-{id}:read' }],
    [PERMISSION, { ...GOOD, path: '/systems/{id}', permission: 'systems/{id}:{id}' }],
    ['must have {id} of its permission in its path, too', { ...GOOD, permission: 'systems/{id}:read' }],
    [
      'must have {ID} of its permission in its path, too',
      { ...GOOD, path: '/systems/{id}', permission: 'systems/{ID}:read' },
    ],
    ['must have no name twice in its path', { ...GOOD, path: '/systems/{id}/{id}', permission: 'systems/{id}:read' }],
  ])('stops the start with an invalid entry: %s: %j', (problem, entry) => {
    expect(read([GOOD, entry])).toEqual({ problems: [`FORWARD_AUTH_ROUTES entry 2 on line 1 ${problem}`] });
  });

  test.each([
    ['[7]', 'entry 1 on line 1'],
    ['[\n\n  7]', 'entry 1 on line 3'],
    [`[\n${JSON.stringify(GOOD)},\n\n  {\n"method": "get"\n}]`, 'entry 2 on line 4'],
    [`[${JSON.stringify({ ...GOOD, path: '/a,]["' })},\n7]`, 'entry 2 on line 2'],
    [`[${JSON.stringify(GOOD, null, 2)}, ${JSON.stringify(GOOD)}\n, [1,\n2]]`, 'entry 3 on line 7'],
  ])('names the entry and the line on which it begins: %j', (content, place) => {
    expect(read(content).problems?.[0]).toContain(`FORWARD_AUTH_ROUTES ${place} must `);
  });

  test.each(['api.example.com', 'localhost', 'a-b.c_d.example'])('accepts the host %s', (host) =>
    expect(read([{ ...GOOD, host }])).toEqual({ routes: [{ ...GOOD, host }] }),
  );

  test.each(['', 'API.example.com', 'api.example.com:443', 'api.example.com.', '*.example.com', 'https://a', 7, null])(
    'stops the start with the host %j',
    (host) => {
      const problem = 'must have a host such as api.example.com, in lower case, without port and final dot, or none';
      expect(read([{ ...GOOD, host }])).toEqual({ problems: [`FORWARD_AUTH_ROUTES entry 1 on line 1 ${problem}`] });
    },
  );

  test.each(['', '{', '{"method":"GET"}', 'null', '"[]"'])(
    'must name a file that contains a JSON array, not: %s',
    (content) => {
      expect(read(content)).toEqual({
        problems: ['FORWARD_AUTH_ROUTES names a file that does not contain a JSON array'],
      });
    },
  );

  test('must name a readable file', () => {
    const env = { DATABASE_URL: 'postgres://db/latchkey', DEMO: '1', FORWARD_AUTH_ROUTES: join(folder, 'none.json') };
    expect(() => readConfig(env)).toThrow("FORWARD_AUTH_ROUTES names a file that can't be read (ENOENT)");
  });
});
