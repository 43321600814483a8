import { describe, expect, test } from '@jest/globals';
import type { ForwardAuthRoute } from '../../../../config/forward-auth-routes.js';
import { ForwardAuthTable } from './forward-auth-table.js';

function route(method: string, path: string, permission = '', operation?: ForwardAuthRoute['operation']) {
  return { method, path, operation, permission };
}
const covers = (pattern: string, path: string) =>
  new ForwardAuthTable([route('GET', pattern)]).questionFor('GET', path) !== undefined;

describe('the pattern of a route', () => {
  test.each([
    ['/systems', '/systems'],
    ['/systems', '/systems/'],
    ['/systems/', '/systems'],
    ['/', '/'],
    ['/systems/*', '/systems/7'],
    ['/systems/*', '/systems/*'],
    ['/systems/*/parts', '/systems/7/parts'],
    ['/systems/**', '/systems/7/parts/8'],
    ['/systems/**', '/systems/'],
    ['/systems/**', '/systems'],
    ['/*/parts/**', '/7/parts/8/9'],
    ['/**', '/'],
    ['/**', '/anything/at/all'],
    ['/größe', '/größe'],
  ])('%s covers %s', (pattern, path) => expect(covers(pattern, path)).toBe(true));

  test.each([
    ['/systems', '/systems/7'],
    ['/systems', '/Systems'],
    ['/systems', '/system'],
    ['/systems/*', '/systems'],
    ['/systems/*', '/systems/'],
    ['/systems/*', '/systems/7/parts'],
    ['/systems/*/parts', '/systems/parts'],
    ['/systems/**', '/systems-old'],
    ['/systems/**', '/'],
    ['/', '/systems'],
    ['/a.c', '/abc'],
  ])('%s does not cover %s', (pattern, path) => expect(covers(pattern, path)).toBe(false));
});

describe('ForwardAuthTable', () => {
  const table = new ForwardAuthTable([
    route('GET', '/systems/secret', 'systems:read', 'destroy'),
    route('GET', '/systems/**', 'systems:read'),
    route('POST', '/systems/search', 'systems:read', 'read'),
    route('*', '/systems/**', 'systems:write'),
  ]);

  test.each([
    ['the first route that matches', 'GET', '/systems/secret', 'destroy', 'systems:read'],
    ['the first route with its method', 'GET', '/systems/7', 'read', 'systems:read'],
    ['HEAD as GET', 'HEAD', '/systems/7', 'read', 'systems:read'],
    ['the operation of the route', 'POST', '/systems/search', 'read', 'systems:read'],
    ['POST', 'POST', '/systems/7', 'write', 'systems:write'],
    ['PUT', 'PUT', '/systems/7', 'write', 'systems:write'],
    ['PATCH', 'PATCH', '/systems/7', 'write', 'systems:write'],
    ['OPTIONS', 'OPTIONS', '/systems/7', 'read', 'systems:write'],
    ['DELETE', 'DELETE', '/systems/7', 'destroy', 'systems:write'],
    ['an unknown method', 'PROPFIND', '/systems/7', 'destroy', 'systems:write'],
    ['a method in lower case, which is another method', 'get', '/systems/7', 'destroy', 'systems:write'],
    ['no method', '', '/systems/7', 'destroy', 'systems:write'],
  ])('decides by %s', (_, method, path, operation, permission) => {
    expect(table.questionFor(method, path)).toEqual({ operation, permission });
  });

  test('closes a path without a route to every key', () => {
    expect(table.questionFor('GET', '/users')).toBeUndefined();
    expect(new ForwardAuthTable([]).questionFor('GET', '/')).toBeUndefined();
  });
});
