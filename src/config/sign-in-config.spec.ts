import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'roles-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (content: unknown) => {
  const file = join(folder, 'roles.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return file;
};

const ON = {
  DATABASE_URL: 'postgres://db/latchkey',
  DEMO: '1',
  SIGN_IN_OPENS_ACCOUNTS: 'on',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'latchkey',
  OIDC_CLIENT_SECRET: 'secret',
};
const WITH_ROLES = { ...ON, SIGN_IN_ROLES_CLAIM: '/realm_access/roles' };

function problems(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('SIGN_IN_OPENS_ACCOUNTS', () => {
  test('gives the permissions of the roles and the fixed ones, and is off by default', () => {
    const env = {
      ...WITH_ROLES,
      SIGN_IN_PERMISSIONS: 'a:read  b:read',
      SIGN_IN_ROLES: fileOf({ editor: ['a:write'] }),
    };
    const { signInRules, oidc } = readConfig(env);
    expect(signInRules).toEqual({ permissions: ['a:read', 'b:read'], roles: new Map([['editor', ['a:write']]]) });
    expect(oidc?.profile).toEqual({ rolesClaim: '/realm_access/roles' });
    const off = readConfig({ ...env, SIGN_IN_OPENS_ACCOUNTS: 'off' });
    expect([off.signInRules, off.oidc?.profile]).toEqual([undefined, undefined]);
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'without a login',
      { ...ON, OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' },
      'OIDC_ISSUER is missing: it is needed with SIGN_IN_OPENS_ACCOUNTS',
    ],
    [
      'with a claim that people can edit',
      { ...ON, OIDC_ACCOUNT_CLAIM: 'email' },
      'OIDC_ACCOUNT_CLAIM must be sub or oid with SIGN_IN_OPENS_ACCOUNTS: people can edit other claims',
    ],
    ['with a claim without its file', WITH_ROLES, 'SIGN_IN_ROLES is missing: it is needed with SIGN_IN_ROLES_CLAIM'],
    [
      'with the permission of administrators for everybody',
      { ...ON, ADMIN_PERMISSION: 'keys:administer', SIGN_IN_PERMISSIONS: 'keys:administer' },
      'SIGN_IN_PERMISSIONS must not have ADMIN_PERMISSION: everybody would be an administrator',
    ],
    [
      'with a permission that is none',
      { ...ON, SIGN_IN_PERMISSIONS: 'a:read *' },
      'SIGN_IN_PERMISSIONS entry 2 must have the form resource:action',
    ],
    [
      'with another login for the panel',
      { ...ON, SESSION_JWKS_URL: 'https://x/jwks', SESSION_JWT_ISSUER: 'https://x', SESSION_JWT_AUDIENCE: 'a' },
      'SESSION_JWT_ISSUER must be OIDC_ISSUER with SIGN_IN_OPENS_ACCOUNTS: two logins may give one id to two people',
    ],
    [
      'with another claim than the panel has',
      {
        ...ON,
        OIDC_ACCOUNT_CLAIM: 'oid',
        SESSION_JWKS_URL: 'https://login.example.com/jwks',
        SESSION_JWT_ISSUER: 'https://login.example.com',
        SESSION_JWT_AUDIENCE: 'a',
      },
      'OIDC_ACCOUNT_CLAIM must be sub with SIGN_IN_OPENS_ACCOUNTS and SESSION_JWKS_URL',
    ],
  ])('stops the start %s', (_, env, problem) => {
    expect(problems(env)).toEqual([expect.stringContaining(problem)]);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'names a file that does not contain a JSON object'],
    ['a list', [], 'names a file that does not contain a JSON object'],
    ['a role without a list', { viewer: ['a:read'], editor: 'a:write' }, 'has no list for "editor" on line 5'],
    ['a number', { viewer: [7] }, 'has a wrong entry for "viewer" on line 2: it must be a text such as "systems:read"'],
    ['a wildcard', { viewer: ['a:*'] }, 'has a wrong entry for "viewer" on line 2: it must have'],
    [
      'more than 1,000 permissions',
      { all: Array.from({ length: 1001 }, (_, n) => `a${n}:read`) },
      'gives 1001 permissions together with SIGN_IN_PERMISSIONS, at most 1000',
    ],
  ])('stops the start for a file of roles with %s, and names the line', (_, content, problem) => {
    expect(problems({ ...WITH_ROLES, SIGN_IN_ROLES: fileOf(content) })).toEqual([
      expect.stringContaining(`SIGN_IN_ROLES ${problem}`),
    ]);
  });
});
