import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ForwardAuthRoute } from '#config/forward-auth-routes.js';
import { RouteTable } from './route-table.js';
import { normalPath } from './normal-path.js';

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

describe('normalPath', () => {
  test.each([
    ['/', '/'],
    ['/backend/api/systems', '/backend/api/systems'],
    ['/backend/api/systems/', '/backend/api/systems/'],
    ['/v1.0/a-b_c~d/@me:1,2+3=(4)', '/v1.0/a-b_c~d/@me:1,2+3=(4)'],
    ['/names/Gr%C3%B6%C3%9fe%20XL', '/names/Größe XL'],
    ['/a..b/.well-known/...c', '/a..b/.well-known/...c'],
    ['/%2B%26', '/+&'],
  ])('decodes %s', (target, path) => expect(normalPath(target)).toBe(path));

  test.each([
    ['/systems?next=/../admin', '/systems'],
    ['/systems?', '/systems'],
    ['/systems?a?b', '/systems'],
    ['/systems?path=%2e%2e%2f;a=b', '/systems'],
    ['/systems?\u00e4', '/systems'],
  ])('leaves out the query of %s', (target, path) => expect(normalPath(target)).toBe(path));

  test.each([
    ['nothing', ''],
    ['no slash in front', 'systems'],
    ['an asterisk', '*'],
    ['another scheme and host', 'http://evil.example.com/systems'],
    ['a query alone', '?a=b'],
    ['a segment ..', '/public/../admin'],
    ['.. at its end', '/public/..'],
    ['a segment .', '/public/./admin'],
    ['. at its end', '/public/.'],
    ['dots and blanks, which Windows takes for ..', '/public/..%20/admin'],
    ['three dots', '/public/.../admin'],
    ['an empty segment', '/public//admin'],
    ['two slashes in front', '//admin'],
    ['two slashes at its end', '/admin//'],
    ['an encoded dot', '/public/%2e./admin'],
    ['an encoded dot in capitals', '/public/.%2E/admin'],
    ['a dot encoded twice', '/public/%252e%252e/admin'],
    ['a dot in too many bytes', '/public/%c0%ae%c0%ae/admin'],
    ['a dot the way of IIS', '/public/%u002e%u002e/admin'],
    ['full-width dots', '/public/%EF%BC%8E%EF%BC%8E/admin'],
    ['a two-dot leader', '/public/%E2%80%A5/admin'],
    ['an encoded slash', '/public%2fadmin'],
    ['an encoded slash in capitals', '/public%2Fadmin'],
    ['a full-width slash', '/public%EF%BC%8Fadmin'],
    ['a fraction slash', '/public/..%E2%81%84admin'],
    ['a division slash', '/public/..%E2%88%95admin'],
    ['a mathematical diagonal', '/public/..%E2%9F%8Badmin'],
    ['a big solidus', '/public/..%E2%A7%B8admin'],
    ['a line of a box', '/public/..%E2%95%B1admin'],
    ['a fraction, which holds a fraction slash', '/public%E2%85%9Fadmin'],
    ['a set minus, a backslash to Windows', '/public/..%E2%88%96admin'],
    ['a yen sign, a backslash in Shift-JIS', '/public/..%C2%A5admin'],
    ['a full-width yen sign', '/public/..%EF%BF%A5admin'],
    ['a won sign, a backslash in EUC-KR', '/public/..%E2%82%A9admin'],
    ['an Arabic percent sign', '/%D9%AA2e'],
    ['a backslash', '/public\\admin'],
    ['an encoded backslash', '/public/..%5cadmin'],
    ['a full-width percent sign', '/%EF%BC%852e'],
    ['a semicolon', '/public;/../admin'],
    ['a parameter', '/admin;jsessionid=1'],
    ['an encoded semicolon', '/admin%3bx'],
    ['an encoded question mark', '/admin%3fx'],
    ['an encoded fragment', '/admin%23x'],
    ['a fragment', '/public#/admin'],
    ['a fragment behind the query', '/public?a#/admin'],
    ['a NUL', '/admin%00'],
    ['a line break', '/admin%0d%0a'],
    ['a delete', '/admin%7f'],
    ['a C1 control', '/admin%C2%85'],
    ['a line separator', '/admin%E2%80%A8'],
    ['a soft hyphen', '/ad%C2%ADmin'],
    ['a zero-width space between dots', '/public/.%E2%80%8B./admin'],
    ['a zero-width joiner', '/admin%E2%80%8D'],
    ['a right-to-left override', '/%E2%80%AEnimda'],
    ['a word joiner', '/ad%E2%81%A0min'],
    ['a byte order mark', '/%EF%BB%BFadmin'],
    ['a variation selector', '/admin%EF%B8%8F'],
    ['a Hangul filler', '/admin%E3%85%A4'],
    ['a combining grapheme joiner', '/admin%CD%8F'],
    ['an annotation anchor', '/admin%EF%BF%B9'],
    ['a tag', '/admin%F3%A0%81%A1'],
    ['a tab as it is', '/ad\tmin'],
    ['a blank as it is', '/ad min'],
    ['half an escape', '/admin%2'],
    ['an escape that is none', '/admin%zz'],
    ['bytes that are not UTF-8', '/admin%ff'],
    ['UTF-8 as it is', '/gr\u00f6\u00dfe'],
    ['a letter encoded for no reason', '/%61dmin'],
    ['a digit encoded for no reason', '/v%31'],
    ['a hyphen encoded for no reason', '/a%2Db'],
  ])('refuses %s', (_, target) => expect(normalPath(target)).toBeUndefined());

  test('accepts no path that gains a dot segment or a delimiter when it is decoded again or loosely', () => {
    const pieces =
      '/ . .. // ; \\ ? # % %2e %2E %2f %2F %5c %5C %25 %252e %00 %ff %c0%ae %EF%BC%8E %EF%BC%8F %E2%80%A5 %E2%88%95 %E2%81%84 %E2%88%96 %E2%80%8B %C2%AD a é';
    const target = fc
      .array(fc.oneof(fc.constantFrom(...pieces.split(' ')), fc.string({ maxLength: 3 })), { maxLength: 9 })
      .map((parts) => `/${parts.join('')}`);
    let accepted = 0;
    fc.assert(
      fc.property(target, (text) => {
        const path = normalPath(text);
        if (path === undefined) return;
        accepted += 1;
        const decodings = [text.split('?')[0]!, path, loosely(path), loosely(loosely(path))];
        const readings = [...decodings, path.normalize('NFKC'), visible(path), asWindowsReads(path)];
        for (const reading of readings) {
          expect(new URL(reading, 'http://host').pathname.split('/')).toHaveLength(path.split('/').length);
          expect(reading).not.toMatch(/[\\;#?]|\/\/|\/\.{1,2}(\/|$)/);
        }
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  /** Like a careless server: decodes each escape on its own, byte for byte, and leaves invalid escapes as they are. */
  function loosely(text: string): string {
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }

  /** Like a file system that ignores invisible characters. */
  const visible = (text: string) => text.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '');

  /** Like a program on Windows that reads its arguments in an 8-bit character set. */
  const asWindowsReads = (text: string) => text.replace(/[\u2044\u2215]/g, '/').replace(/\u2216/g, '\\');
});
