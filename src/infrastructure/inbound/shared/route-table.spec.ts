import { describe, expect, test } from '@jest/globals';
import type { ForwardAuthRoute } from '#config/forward-auth-routes.js';
import { RouteTable } from './route-table.js';

function route(method: string, path: string, permission = '', operation?: ForwardAuthRoute['operation']) {
  return { method, path, operation, permission, host: undefined };
}
const covers = (pattern: string, path: string) =>
  new RouteTable([route('GET', pattern)]).questionFor({ method: 'GET', target: encodeURI(path) }) !== undefined;

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
    ['/systems/{id}', '/systems/7'],
    ['/{tenant}/systems/{id}/**', '/acme/systems/7'],
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
    ['/systems/{id}', '/systems/7/parts'],
    ['/systems/{id}', '/systems'],
  ])('%s does not cover %s', (pattern, path) => expect(covers(pattern, path)).toBe(false));
});

describe('RouteTable', () => {
  const table = new RouteTable([
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
    expect(table.questionFor({ method, target: path })).toEqual({ operation, permission });
  });

  describe('takes segments of the path into the permission', () => {
    const instances = new RouteTable([
      route('GET', '/{tenant}/systems/{id}/**', '{tenant}/systems/{id}:read'),
      route('GET', '/systems/{id}', 'systems/{id}:read'),
      route('*', '/systems/*', ''),
    ]);
    const of = (target: string) => instances.questionFor({ method: 'GET', target });

    test.each([
      ['/systems/sys-1', 'systems/sys-1:read'],
      ['/systems/sys-1/', 'systems/sys-1:read'],
      ['/systems/sys-1?id=sys-2', 'systems/sys-1:read'],
      ['/systems/SYS-1', 'systems/SYS-1:read'],
      ['/acme/systems/7/parts/8', 'acme/systems/7:read'],
      ['/systems/systems/7', 'systems/systems/7:read'],
    ])('of %s', (target, permission) => expect(of(target)).toEqual({ operation: 'read', permission }));

    test.each([
      '/systems/s%20s',
      '/systems/s%C3%BCs',
      '/systems/s%D1%83s',
      '/systems/sys-1:read',
      '/systems/*',
      '/systems/sys-1~',
      '/systems/%7Bid%7D',
      `/systems/${'x'.repeat(93)}`,
      '/-acme/systems/7',
    ])('and closes %s to every key, even if a later route would match', (target) => {
      expect(of(target)).toEqual({ operation: 'destroy', permission: '' });
    });
  });

  describe('with hosts', () => {
    const hosts = new RouteTable([
      { ...route('GET', '/systems', 'orders:read'), host: 'orders.example.com' },
      { ...route('GET', '/systems', 'stock:read'), host: 'stock.example.com' },
      route('GET', '/**', 'any:read'),
    ]);
    const at = (host: string | undefined, target = '/systems') =>
      hosts.questionFor({ method: 'GET', target, host })?.permission;

    test.each([
      ['orders.example.com', 'orders:read'],
      ['Orders.Example.COM', 'orders:read'],
      ['orders.example.com.', 'orders:read'],
      ['orders.example.com:8443', 'orders:read'],
      ['orders.example.com.:', 'orders:read'],
      ['stock.example.com', 'stock:read'],
      ['other.example.com', 'any:read'],
      ['x.orders.example.com', 'any:read'],
      ['orders.example.com.evil', 'any:read'],
    ])('decides for two services with equal paths: %s', (host, permission) => expect(at(host)).toBe(permission));

    test.each([
      undefined,
      '',
      'orders.example.com, stock.example.com',
      'orders.example.com..',
      'a@orders.example.com',
      'orders.example.com/x',
      'ordérs.example.com',
      '[::1]:80',
    ])('closes the path of an entry with a host at the unknown host %s, even if a later entry matches', (host) => {
      expect(at(host)).toBeUndefined();
      expect(at(host, '/elsewhere')).toBe('any:read');
    });
  });

  test('closes a path without a route to every key', () => {
    expect(table.questionFor({ method: 'GET', target: '/users' })).toBeUndefined();
    expect(new RouteTable([]).questionFor({ method: 'GET', target: '/' })).toBeUndefined();
  });
});
