import { describe, expect, test } from '@jest/globals';
import { fillIn, isPermissionTemplate, namesIn } from './permission-template.js';

describe('a permission template', () => {
  test.each(['systems/{id}:read', '{tenant}/systems/{system-id}:write', 'systems:read'])('may be %s', (text) => {
    expect(isPermissionTemplate(text)).toBe(true);
  });

  test.each([
    '',
    '{id}',
    'systems/{id:read',
    'systems/{}:read',
    'systems/{a b}:read',
    'systems/{{id}}:read',
    'systems/sys-{id}:read',
    'systems/{id}{part}:read',
    'systems//{id}:read',
    'systems/../{id}:read',
    'systems/{id}:{action}',
    'systems/{id}:Read',
    'systems/{id}:read:read',
    `${'s'.repeat(100)}/{id}:read`,
  ])('may not be %j', (text) => expect(isPermissionTemplate(text)).toBe(false));

  test('has the names of its placeholders', () => {
    expect(namesIn('{tenant}/systems/{id}:read')).toEqual(['tenant', 'id']);
    expect(namesIn('systems:read')).toEqual([]);
  });

  const filled = (template: string, values: Record<string, string>) =>
    fillIn(template, new Map(Object.entries(values)));

  test('is filled in part for part', () => {
    expect(filled('systems/{id}:read', { id: 'sys-1' })).toBe('systems/sys-1:read');
    expect(filled('{a}/{b}/{a}:read', { a: 'x', b: '$1' })).toBeUndefined();
    expect(filled('{a}/{b}/{a}:read', { a: 'x', b: 'y' })).toBe('x/y/x:read');
    expect(filled('a:Read', {})).toBe('a:Read');
  });

  test.each([
    '',
    '.',
    '..',
    '...',
    'a/b',
    'a%2Fb',
    '%',
    'a:read',
    '*',
    '{id}',
    'a b',
    'a\n',
    's\u0443s',
    'x'.repeat(93),
  ])('is not filled in with %j', (id) => expect(filled('systems/{id}:read', { id })).toBeUndefined());

  test('is not filled in if a value is missing, or starts a resource as none may start', () => {
    expect(filled('systems/{id}:read', { other: 'a' })).toBeUndefined();
    expect(filled('{tenant}/systems:read', { tenant: '-a' })).toBeUndefined();
  });
});
