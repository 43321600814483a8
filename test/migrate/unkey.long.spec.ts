import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { snippetOf } from '../support/reading/pages.js';
import { PAGE, daysUntil } from './support/exports.js';
import { MariaDb } from './support/mariadb.js';
import { NewHome } from './support/moved-keys.js';

/** The columns that the query reads, with the types of Unkey's schema. */
const TABLES = `
  CREATE DATABASE unkey; USE unkey;
  CREATE TABLE apis (id varchar(256), key_auth_id varchar(256), ip_whitelist varchar(512), deleted_at_m bigint);
  CREATE TABLE identities (id varchar(256), external_id varchar(256), deleted boolean NOT NULL DEFAULT false);
  CREATE TABLE permissions (id varchar(256), slug varchar(512));
  CREATE TABLE keys_permissions (key_id varchar(256), permission_id varchar(256));
  CREATE TABLE keys_roles (key_id varchar(256), role_id varchar(256));
  CREATE TABLE roles_permissions (role_id varchar(256), permission_id varchar(256));
  CREATE TABLE \`keys\` (
    id varchar(256), key_auth_id varchar(256) DEFAULT 'ks_your_key_space', hash varchar(256), prefix varchar(16),
    start varchar(256),
    for_workspace_id varchar(256), name varchar(256), owner_id varchar(256), identity_id varchar(256),
    expires datetime(3), deleted_at_m bigint, enabled boolean NOT NULL DEFAULT true, remaining_requests int,
    pending_migration_id varchar(256));
  INSERT INTO apis VALUES ('api_1', 'ks_your_key_space', '192.0.2.1, 2001:db8::1', NULL);
  INSERT INTO identities VALUES ('id_1', 'u1', false);
  INSERT INTO permissions VALUES ('p_1', 'systems:read'), ('p_2', 'systems:write'), ('p_3', 'users:delete');
  INSERT INTO roles_permissions VALUES ('r_1', 'p_2'), ('r_1', 'p_1');
`;

/** A key as Unkey makes it: the prefix, `_`, and what is random; stored are the hash and the first characters. */
function unkeyKey(_: unknown, index: number) {
  const key = `acme_${randomBytes(16).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest('base64');
  // Older releases stored the prefix as a part of `start`.
  const stored = index % 2 === 0 ? { prefix: 'acme', start: key.slice(5, 9) } : { prefix: '', start: key.slice(0, 9) };
  return { key, hash, ...stored, shown: key.slice(0, 9) };
}

describe('the export of Unkey’s tables', () => {
  const database = new MariaDb();
  const keys = Array.from({ length: 9 }, unkeyKey);
  let printed: string;
  let lines: Record<string, unknown>[];
  beforeAll(async () => {
    await database.start();
    const insert = (at: number, columns: string) =>
      `INSERT INTO \`keys\` SET id = 'key_${at}', hash = '${keys[at]!.hash}', prefix = '${keys[at]!.prefix}',
         start = '${keys[at]!.start}', ${columns};`;
    const rows = [
      insert(0, `name = 'ci', identity_id = 'id_1', expires = UTC_TIMESTAMP() + INTERVAL 30 DAY`),
      insert(1, `name = 'both', owner_id = 'u2'`),
      insert(2, `name = '  ', owner_id = 'u3', expires = UTC_TIMESTAMP() + INTERVAL 900 DAY`),
      insert(3, `owner_id = 'u4', expires = UTC_TIMESTAMP() - INTERVAL 1 DAY`),
      insert(4, `owner_id = 'u4', enabled = false`),
      insert(5, `owner_id = 'u4', deleted_at_m = 1`),
      insert(6, `owner_id = 'u4', remaining_requests = 5`),
      insert(7, `owner_id = 'u4', pending_migration_id = 'm_1'`),
      insert(8, `owner_id = 'u4', key_auth_id = 'ks_another'`),
      `INSERT INTO keys_permissions VALUES ('key_0', 'p_1'), ('key_1', 'p_1');`,
      `INSERT INTO keys_roles VALUES ('key_1', 'r_1');`,
    ];
    await database.run(TABLES + rows.join('\n'), 'mysql');
    printed = await database.run(snippetOf(PAGE, 'Unkey', 'sql'), 'unkey');
    lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  afterAll(() => database.stop());

  test('has the keys that Unkey would accept, by the SHA-256 of the whole key', () => {
    const digests = keys.slice(0, 3).map(({ key }) => createHash('sha256').update(key).digest('hex'));
    expect(lines.map(({ sha256 }) => sha256)).toEqual(digests);
  });

  test('has owners, names, ends, permissions of keys and of roles, and the addresses of the API', () => {
    const allowed = ['192.0.2.1', '2001:db8::1'];
    const both = { access: 'read-and-write', allowed_networks: allowed };
    expect(lines).toMatchObject([
      { ...both, owner_id: 'u1', name: 'ci', permissions: ['systems:read'], display_prefix: keys[0]!.shown },
      {
        ...both,
        owner_id: 'u2',
        name: 'both',
        permissions: ['systems:read', 'systems:write'],
        display_prefix: keys[1]!.shown,
      },
      { ...both, owner_id: 'u3', name: keys[2]!.shown, permissions: ['*'] },
    ]);
    expect(lines.map(({ expires_at }) => daysUntil(expires_at as string))).toEqual([30, 90, 365]);
  });

  test('is imported, and refuses requests from other addresses', async () => {
    const home = await NewHome.open();
    try {
      for (const id of ['u1', 'u2', 'u3']) await newOwner(home.service, { id });
      expect(await home.import(printed, 'jsonl')).toMatchObject({ imported: 3, refused: 0 });
      expect(await home.verdictOn(keys[0]!.key)).toBe('REASON_ADDRESS_NOT_ALLOWED');
      expect(await home.verdictOn(keys[0]!.key, '192.0.2.1')).toEqual({ ownerId: 'u1', permissions: ['systems:read'] });
      expect(await home.verdictOn(keys[3]!.key, '192.0.2.1')).toBe('REASON_INVALID_KEY');
    } finally {
      await home.close();
    }
  });
});
