import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { postgresFolder } from '../../scripts/testing/programs.mjs';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { root } from '../../scripts/lib/paths.mjs';
import { LATCHKEY } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { type Service, startService } from '../support/processes/service.js';
import { blocksOf, snippetOf } from '../support/reading/pages.js';
import { sql } from '../support/stores/sql.js';

const AUDIT_SEAL_KEY = '5e'.repeat(32);
const LEASE_MS = '100';
/** Debian's PostgreSQL, because pg_dump has to be of the server's version. Its programs refuse to run as root. */
const asPostgres = (command: string, ...args: string[]) =>
  ['runuser', ['-u', 'postgres', '--', join(postgresFolder()!, command), ...args]] as const;

describe('the commands of docs/runbook.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  const data = join(folder, 'data');
  let port: number;
  let service: Service;
  const url = (database: string, role = 'postgres') => `postgresql://${role}@127.0.0.1:${port}/${database}`;
  beforeAll(async () => {
    spawnSync('chown', ['postgres', folder]);
    const made = spawnSync(...asPostgres('initdb', '-D', data, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8'));
    if (made.status !== 0) throw new Error(String(made.stderr));
    port = await freePort();
    const settings = ['-p', String(port), '-k', '', '-h', '127.0.0.1', '-c', 'fsync=off'];
    spawn(...asPostgres('postgres', '-D', data, ...settings), { stdio: 'ignore' });
    await eventually(() => sql(url('postgres'), 'SELECT 1').then(Boolean, () => false));
    // As docs/operate.md has it, where the service does not own its tables.
    await sql(url('postgres'), 'CREATE ROLE latchkey_owner LOGIN; CREATE ROLE latchkey_service LOGIN');
    await sql(url('postgres'), 'CREATE DATABASE latchkey OWNER latchkey_owner');
    await sql(url('latchkey'), 'REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT ALL ON SCHEMA public TO latchkey_owner');
    await buildService();
    const migrated = await run(process.execPath, [LATCHKEY, 'migrate'], {
      env: { ...process.env, DATABASE_URL: url('latchkey', 'latchkey_owner') },
    });
    expect(migrated).toMatchObject({ code: 0 });
    await sql(url('latchkey'), readFileSync(join(root, 'deploy/postgres/grants.sql'), 'utf8'));
    service = await startService({ DATABASE_URL: url('latchkey', 'latchkey_service'), AUDIT_SEAL_KEY, LEASE_MS });
  });
  afterAll(async () => {
    await service?.stop();
    spawnSync(...asPostgres('pg_ctl', 'stop', '-D', data, '-m', 'immediate'));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Pastes a block of the page after the functions that it uses. The environment replaces the files of /etc/latchkey. */
  const paste = async (heading: string, env: NodeJS.ProcessEnv, ...more: string[]) => {
    const functions = snippetOf('docs/runbook.md', 'Before each entry', 'sh')
      .replaceAll(/^OWNER_URL=.*$/gm, '')
      .replaceAll(/ --env-file=\S+/g, '')
      .replaceAll('/opt/latchkey/dist/composition/cli.js', LATCHKEY);
    const blocks = [functions, snippetOf('docs/runbook.md', heading, 'sh'), ...more];
    const lines = blocks.join('\n').replaceAll('/opt/latchkey/deploy', join(root, 'deploy'));
    const { code, output } = await run('bash', ['--norc', '-uc', lines], {
      cwd: folder,
      env: { ...process.env, PATH: `${postgresFolder()}:${process.env['PATH']}`, AUDIT_SEAL_KEY, ...env },
    });
    return { code, output };
  };

  test('back up a running service and restore it: keys and accounts match the audit trail, and keys still work', async () => {
    const { person } = await newOwner(service);
    const [kept, revoked] = [await person.newKey({ name: 'kept' }), await person.newKey({ name: 'revoked' })];
    await person.revoke(revoked.apiKey.id);
    const isSealed = async () =>
      (
        await sql<{ left: boolean }>(
          url('latchkey'),
          'SELECT max(to_event_id) = (SELECT max(id) FROM audit_events) AS left FROM audit_seals',
        )
      )[0]!.left;
    await eventually(isSealed);
    const backup = await paste('Back up', {
      OWNER_URL: url('latchkey', 'latchkey_owner'),
      DATABASE_URL: url('latchkey', 'latchkey_service'),
    });
    expect(backup).toEqual({ code: 0, output: '' });
    await service.stop();

    const [, verify = 'missing'] = blocksOf('docs/runbook.md', 'sh', 'Restore');
    const env = {
      // Where psql connects to without a URL.
      ...{ PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres', PGDATABASE: 'postgres' },
      OWNER_URL: url('latchkey', 'latchkey_owner'),
    };
    const restored = await paste('Restore', env, verify);
    expect(restored).toEqual({ code: 0, output: expect.stringContaining('OK: the audit trail is intact') });
    expect(await sql(url('restored'), 'SELECT 1 FROM sessions')).toEqual([]);
    service = await startService({ DATABASE_URL: url('restored', 'latchkey_service'), AUDIT_SEAL_KEY, LEASE_MS });
    // The row of the instance before came with the dump.
    expect(await sql(url('restored'), 'SELECT FROM instances')).toHaveLength(2);
    const outcomes = await Promise.all([kept, revoked].map(({ fullKey }) => service.clients.validate(fullKey)));
    expect(outcomes.map(({ grant, denial }) => grant?.keyId ?? denial?.reason)).toEqual([
      kept.apiKey.id,
      'REASON_REVOKED',
    ]);
    const falsify = () => sql(url('restored', 'latchkey_service'), 'ALTER TABLE audit_events DISABLE TRIGGER ALL');
    await expect(falsify()).rejects.toThrow('must be owner of table audit_events');
    await expect(sql(url('restored', 'latchkey_owner'), 'SELECT 1')).resolves.toHaveLength(1);
    await sql(url('postgres'), 'CREATE ROLE stranger LOGIN');
    await expect(sql(url('restored', 'stranger'), 'SELECT 1')).rejects.toThrow('permission denied for database');
  });
});
