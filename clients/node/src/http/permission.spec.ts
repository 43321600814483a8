import { describe, expect, it } from '@jest/globals';
import { operationOf } from '../operation.js';
import { permissionFor } from './permission.js';
import { routeWith } from './route.js';

describe('the permission of a route', () => {
  it.each([undefined, '', 'systems', 'systems:', ':read', 'systems:*', 'a b:read', {}, { read: 'systems:read' }])(
    'refuses to protect a route by %j',
    (permission) => {
      const check = () => Promise.reject(new Error('unexpected validation'));
      const makeRoute = routeWith({ check, operationOf });
      expect(() => makeRoute(permission as never)).toThrow(/^permission: .* is not of the form resource:action/);
    },
  );

  it('is the one for reads or the one for everything else', () => {
    const both = { read: 'systems:read', write: 'systems:write' };
    expect(permissionFor('READ', both)).toBe('systems:read');
    expect(permissionFor('WRITE', both)).toBe('systems:write');
    expect(permissionFor('DESTROY', both)).toBe('systems:write');
    expect(permissionFor('WRITE', 'systems:admin')).toBe('systems:admin');
    expect(permissionFor('READ', null)).toBe('');
  });
});
