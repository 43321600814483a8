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
const GOOD = { method: 'GET', path: '/systems/*', operation: 'read', permission: 'systems:read' };
const PATH = 'must have a path such as /systems/*: * or {id} stands for one segment, ** at the end for the rest';
const PERMISSION = 'must have a permission such as systems:read or systems/{id}:read, or "" where none is needed';

describe('FORWARD_AUTH_ROUTES', () => {
  test('names a file with methods, paths, operations and permissions, in order', () => {
    const closed = { method: '*', path: '/**', permission: '' };
    expect(read([GOOD, closed])).toEqual({ routes: [GOOD, { ...closed, operation: undefined }] });
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
    ['must have no fields but method, path, operation, permission', { ...GOOD, premission: 'a:read' }],
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
    expect(read([GOOD, entry])).toEqual({ problems: [`FORWARD_AUTH_ROUTES entry 2 ${problem}`] });
  });

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
