import { describe, expect, it } from '@jest/globals';
import { operationOf } from '../operation.js';
import { filledIn, permissionFor } from './permission.js';
import { routeWith } from './route.js';

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
