import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { DAY_MS } from '#domain/time.js';
import { RIGHTS } from '#infrastructure/outbound/postgres/open-database.js';
import { importedString, IMPORT_PREFIX, importKeys, importOf } from '../support/callers/imports.js';
import { withWrongSecret } from '../support/callers/key-strings.js';
import { ADMIN, ADMIN_PROFILE } from '../support/callers/management-routes.js';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { startService, type Service } from '../support/processes/service.js';
import { SEAL_KEY_HEX } from '../support/stores/audit-trail.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

/** What changes how PostgreSQL reads or writes values. An administrator may set each for a database or a role. */
const TURNED = {
  datestyle: 'German, DMY',
  timezone: 'Pacific/Chatham',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  extra_float_digits: '-15',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  client_min_messages: 'error',
  client_encoding: 'LATIN1',
  default_transaction_isolation: 'serializable',
  synchronous_commit: 'off',
  plan_cache_mode: 'force_generic_plan',
  search_path: 'public, pg_catalog',
};

describe.each(['session', 'transaction'])('a database with settings of its own, DATABASE_POOLING=%s', (pooling) => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    for (const [setting, value] of Object.entries(TURNED)) {
      await sql(
        database.url,
        `ALTER DATABASE ${name} SET ${setting} = ${setting === 'search_path' ? value : `'${value}'`}`,
      );
    }
    env = { DATABASE_URL: database.url, DATABASE_POOLING: pooling, AUDIT_SEAL_KEY: SEAL_KEY_HEX };
    service = await startService({ ...env, ...ADMIN, IMPORT_PREFIXES: IMPORT_PREFIX });
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });
  const latchkey = async (...args: string[]) => {
    const { code, out, err } = await hostedLatchkey(args, { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  };
  const isRecent = (time: string | null) => expect(Math.abs(Date.now() - Date.parse(time!))).toBeLessThan(DAY_MS);

  test('serves a person: their session, keys, their use, a rotation, a revocation and their activity', async () => {
    const { person } = await newOwner(service);
    isRecent((await person.call('GET', '/v1/session')).body.expiresAt);
    const { apiKey, fullKey } = await person.newKey({
      note: String.raw`C:\new\t 'x'`,
      allowedNetworks: ['127.0.0.0/8'],
    });
    expect(Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)).toBe(DAY_MS);
    const { grant } = await service.clients.validate(fullKey, { clientIp: '127.0.0.1' });
    expect(Number(grant!.expiresAt!.seconds)).toBe(Math.floor(Date.parse(apiKey.expiresAt) / 1000));
    await service.clients.validate(withWrongSecret(fullKey), { clientIp: '127.0.0.1' });
    await eventually(async () => (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body.uses.length > 0);
    const { body } = await person.call('GET', `/v1/api-keys/${apiKey.id}`);
    isRecent(body.uses[0].lastAt);
    expect(body).toMatchObject({
      note: String.raw`C:\new\t 'x'`,
      uses: [{ clientIp: '127.0.0.1' }],
      days: [{ granted: 1 }],
    });
    const rotated = await person.rotate(apiKey.id, { graceSeconds: 3600 });
    expect(rotated.status).toBe(201);
    await service.clients.validate(rotated.body.fullKey, { clientIp: '127.0.0.1' });
    const { items } = await person.list('?sort=lastUsed');
    const [old] = items.filter(({ id }) => id === apiKey.id);
    expect(Math.abs(Date.parse(old!.endsAt!) - Date.now() - 3_600_000)).toBeLessThan(600_000);
    expect((await person.revoke(rotated.body.apiKey.id)).body.status).toBe('revoked');
    const events = await eventually(async () => {
      const found = (await person.call('GET', '/v1/audit-events')).body.items;
      return found.some(({ type }: { type: string }) => type === 'authentication.failed') && found;
    });
    for (const { at } of events) isRecent(at);
    expect((await person.call('DELETE', '/v1/session')).status).toBe(204);
  });

  test('serves administrators and the command line: searches by time, ends, exports, seals and their verification', async () => {
    const [owner, administrator] = [await newOwner(service), await newOwner(service, ADMIN_PROFILE)];
    const { apiKey, fullKey } = await owner.person.newKey();
    const hour = (hours: number) => encodeURIComponent(new Date(Date.now() + hours * 3_600_000).toISOString());
    const found = async (path: string) => (await administrator.person.call('GET', `/v1/admin/${path}`)).body.items;
    const days = `expiresFrom=${hour(1)}&expiresBefore=${hour(48)}`;
    expect(await found(`api-keys?owner=${owner.id}&${days}`)).toMatchObject([{ id: apiKey.id }]);
    expect(await found(`audit-events?key=${apiKey.id}&from=${hour(-1)}&until=${hour(1)}`)).not.toEqual([]);
    expect(await found(`audit-events?key=${apiKey.id}&from=${hour(1)}`)).toEqual([]);
    const text = importedString();
    const [imported] = await importKeys(service.clients, [importOf(text, owner.id)]);
    expect((await service.clients.validate(text)).grant).toMatchObject({ keyId: imported!.keyId });
    expect(await latchkey('keys', 'list', '--owner', owner.id)).toContain(apiKey.prefix);
    await latchkey('keys', 'revoke', '--owner', owner.id, '--key', apiKey.id, '--yes');
    expect((await service.clients.validate(fullKey)).denial).toMatchObject({ reason: 'REASON_REVOKED' });
    await latchkey('account', 'suspend', owner.id);
    await latchkey('account', 'reactivate', owner.id);
    const exported = (await latchkey('audit', 'export', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exported.length).toBeGreaterThan(5);
    for (const { at } of exported) isRecent(at);
    await eventually(async () =>
      /^OK: .*\n {4}seals: [1-9]/.test((await hostedLatchkey(['audit', 'verify'], { env })).out),
    );
    const end = await administrator.person.call('POST', `/v1/admin/api-keys/${imported!.keyId}/revoke`, {
      password: PASSWORD,
    });
    isRecent(end.body.revokedAt);
  });
});

describe('the start', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  test('is refused with a database that is not in UTF-8, and names the encoding', async () => {
    const url = new URL(database.url);
    url.pathname += '_latin1';
    const name = url.pathname.slice(1);
    const how = `ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`;
    await sql(database.url, `CREATE DATABASE ${name} ${how}`);
    try {
      await expect(startService({ DATABASE_URL: url.href })).rejects.toThrow(
        /^DATABASE_URL: the database has the encoding LATIN1[^\n]*ENCODING 'UTF8'/,
      );
    } finally {
      await sql(database.url, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  test('is refused while the role of the service lacks rights that an upgrade needs, and names them', async () => {
    const url = new URL(database.url);
    await (await startService({ DATABASE_URL: database.url })).stop();
    const role = `service_${randomBytes(4).toString('hex')}`;
    const grants = readFileSync(join(root, 'deploy/postgres/grants.sql'), 'utf8').replaceAll('latchkey_service', role);
    await sql(
      database.url,
      `CREATE ROLE ${role} LOGIN PASSWORD 'of-a-test'; ${grants}; REVOKE INSERT, UPDATE ON instances FROM ${role}`,
    );
    url.username = role;
    url.password = 'of-a-test';
    try {
      await expect(startService({ DATABASE_URL: url.href })).rejects.toThrow(
        /^DATABASE_URL: this role lacks INSERT on instances, UPDATE on instances: run deploy\/postgres\/grants.sql/,
      );
      await sql(database.url, grants);
      await (await startService({ DATABASE_URL: url.href })).stop();
      await expect(startService({ DATABASE_URL: url.href, AUDIT_RETENTION_DAYS: '400' })).rejects.toThrow(
        /^DATABASE_URL: this role lacks DELETE on audit_events: for AUDIT_RETENTION_DAYS run `GRANT DELETE ON audit_events TO` this role/,
      );
      await sql(database.url, `GRANT DELETE ON audit_events TO ${role}`);
      await (await startService({ DATABASE_URL: url.href, AUDIT_RETENTION_DAYS: '400' })).stop();
    } finally {
      await sql(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('needs all rights that deploy/postgres/grants.sql gives, and no others', () => {
    const grants = readFileSync(join(root, 'deploy/postgres/grants.sql'), 'utf8');
    const given = [...grants.matchAll(/^GRANT ([A-Z, ]+) ON (?!SCHEMA)([a-z_,\s]+?)\s+TO/gm)];
    const listed = (pairs: [string, string[]][]) =>
      pairs.flatMap(([rights, tables]) => tables.map((table) => `${rights} on ${table}`)).sort();
    expect(listed(given.map(([, rights, tables]) => [rights!, tables!.split(/,\s*/)]))).toEqual(
      listed(Object.entries(RIGHTS).map(([rights, tables]) => [rights, [...tables]])),
    );
  });

  test('needs no home folder, as for a user who has a number and no name', async () => {
    // What Node.js does for such a user without HOME.
    const preload = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
      os.homedir = () => { throw new Error('ENOENT: no such file or directory, uv_os_homedir'); }; syncBuiltinESMExports();`;
    const env = {
      PATH: process.env['PATH']!,
      DATABASE_URL: database.url.replace(/:[^:@/]*@/, '@'),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    };
    const { err } = await runCommand(process.execPath, [LATCHKEY, 'account', 'list'], { env });
    // It ends: it does not keep the connection either.
    expect(err).toBe('latchkey: DATABASE_URL: it has no password, and PostgreSQL asks for one\n');
  });
});
