import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  coveredByBoth,
  coveringPermission,
  isCovered,
  isNewPermission,
  isPermission,
  newPermissionProblem,
  fillIn,
  isPermissionTemplate,
  namesIn,
} from './permission.js';

describe('isPermission', () => {
  test.each(['systems:read', 'a:b', 'billing/invoices.v2:write', `${'r'.repeat(100)}:${'a'.repeat(28)}`])(
    'accepts %j',
    (text) => expect(isPermission(text)).toBe(true),
  );

  const shapeless = ['', ':', 'read', 'systems:', ':read', 'a:b:c', '-a:read', 'systems: read', ' systems:read'];
  const foreign = ['systems:*', '*:read', '*', 'systems:read\n', 'systems:re ad', 'systèmes:read'];
  test.each([...shapeless, ...foreign, `${'r'.repeat(101)}:a`, `r:${'a'.repeat(29)}`])('refuses %j', (text) =>
    expect(isPermission(text)).toBe(false),
  );
});

describe('isNewPermission', () => {
  test.each([
    'systems:read',
    'a:b',
    'billing/invoices.v2:write',
    'a/..b/c.:read',
    `${'r'.repeat(100)}:${'a'.repeat(28)}`,
  ])('accepts %j', (text) => expect(isNewPermission(text)).toBe(true));

  const outside = ['a//b:read', 'a/:read', 'a/.:read', 'a/../b:read', 'a/...:read', 'a:Read', 'a:READ', 'a:1read'];
  test.each(outside)('refuses %j, which may be stored from before', (text) => {
    expect([isNewPermission(text), isPermission(text)]).toEqual([false, true]);
    expect(newPermissionProblem(text)).toMatch(/^must have/);
  });

  test('accepts only what may be stored', () => {
    const texts = fc.stringMatching(/^[A-Za-z0-9./:_*-]{1,12}:[a-zA-Z0-9.-]{1,5}$/);
    fc.assert(
      fc.property(texts, (text) => !isNewPermission(text) || isPermission(text)),
      { numRuns: 500 },
    );
  });
});

describe('isCovered', () => {
  test.each([
    ['systems:read', 'systems:read'],
    ['systems:read', 'systems/42:read'],
    ['systems:read', 'systems/42/disks/1:read'],
    ['systems/42:read', 'systems/42/disks:read'],
    ['a//b:read', 'a//b:read'],
    ['systems:Read', 'systems:Read'],
  ])('%s covers %s', (one, other) => expect(isCovered(other, new Set([one]))).toBe(true));

  test.each([
    ['systems:read', 'systems:write'],
    ['systems/42:read', 'systems:read'],
    ['systems/42:read', 'systems/421:read'],
    ['systems/42:read', 'systems/43:read'],
    ['systems:read', 'systems-b/42:read'],
    ['systems:read', 'Systems/42:read'],
    ['systems:read', 'x/systems/42:read'],
    ['systems:read', 'systems/42:read.all'],
    ['systems:Read', 'systems/42:Read'],
    ['systems:read', 'systems/..:read'],
    ['systems:read', 'systems//42:read'],
    ['systems/.:read', 'systems/./42:read'],
    ['systems/:read', 'systems//42:read'],
    ['systems:re/ad', 'systems:re'],
  ])('%s does not cover %s', (one, other) => expect(isCovered(other, new Set([one]))).toBe(false));
});

test('coveringPermission is the longest one that covers the permission', () => {
  const among = ['systems:read', 'systems/42:read', 'systems/42/disks:write'];
  const found = ['systems/42/disks/1:read', 'systems/7:read', 'systems/42:read', 'billing:read'];
  expect(found.map((each) => coveringPermission(each, among))).toEqual([
    'systems/42:read',
    'systems:read',
    'systems/42:read',
    undefined,
  ]);
});

test('coveredByBoth has the narrower permission of each pair, once', () => {
  const owned = ['systems:read', 'reports/eu:read', 'reports/eu/1:read', 'users:read', 'x:write'];
  const subset = ['systems/1:read', 'systems/1:write', 'reports:read', 'users:read', 'y:read'];
  expect(coveredByBoth(owned, subset).sort()).toEqual([
    'reports/eu/1:read',
    'reports/eu:read',
    'systems/1:read',
    'users:read',
  ]);
});

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
