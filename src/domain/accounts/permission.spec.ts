import { describe, expect, test } from '@jest/globals';
import { isPermission } from './permission.js';

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
