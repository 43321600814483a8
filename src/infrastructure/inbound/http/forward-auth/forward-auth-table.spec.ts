import { describe, expect, test } from '@jest/globals';
import type { ForwardAuthRoute } from '../../../../config/forward-auth-routes.js';
import { CLOSED } from '../../shared/operation-of.js';
import { ForwardAuthTable } from './forward-auth-table.js';

function route(method: string, path: string, permission = '', operation?: ForwardAuthRoute['operation']) {
  return { method, path, operation, permission };
}
const asks = (path: string, asked: string) =>
  new ForwardAuthTable([route('GET', path)]).questionFor('GET', asked) !== CLOSED;

describe('the pattern', () => {
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
  ])('%s covers %s', (path, asked) => expect(asks(path, asked)).toBe(true));

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
  ])('%s does not cover %s', (path, asked) => expect(asks(path, asked)).toBe(false));
});

describe('the table', () => {
  const table = new ForwardAuthTable([
    route('GET', '/systems/secret', 'systems:read', 'destroy'),
    route('GET', '/systems/**', 'systems:read'),
    route('POST', '/systems/search', 'systems:read', 'read'),
    route('*', '/systems/**', 'systems:write'),
  ]);

  test.each([
    ['the first that matches', 'GET', '/systems/secret', 'destroy', 'systems:read'],
    ['the first for its method', 'GET', '/systems/7', 'read', 'systems:read'],
    ['HEAD as GET', 'HEAD', '/systems/7', 'read', 'systems:read'],
    ['an operation of its own', 'POST', '/systems/search', 'read', 'systems:read'],
    ['POST', 'POST', '/systems/7', 'write', 'systems:write'],
    ['PUT', 'PUT', '/systems/7', 'write', 'systems:write'],
    ['PATCH', 'PATCH', '/systems/7', 'write', 'systems:write'],
    ['OPTIONS', 'OPTIONS', '/systems/7', 'read', 'systems:write'],
    ['DELETE', 'DELETE', '/systems/7', 'destroy', 'systems:write'],
    ['a method that says nothing of what it does', 'PROPFIND', '/systems/7', 'destroy', 'systems:write'],
    ['a method in small letters, which is another method', 'get', '/systems/7', 'destroy', 'systems:write'],
    ['no method', '', '/systems/7', 'destroy', 'systems:write'],
  ])('asks by %s', (_, method, path, operation, permission) => {
    expect(table.questionFor(method, path)).toEqual({ operation, permission });
  });

  test('asks for what no key may do where no route matches', () => {
    expect(table.questionFor('GET', '/users')).toEqual({ operation: 'destroy', permission: '' });
    expect(new ForwardAuthTable([]).questionFor('GET', '/')).toEqual({ operation: 'destroy', permission: '' });
  });
});
