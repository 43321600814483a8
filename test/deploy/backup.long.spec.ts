import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { postgresFolder } from '../../scripts/lib/search-path.mjs';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { LATCHKEY } from '../support/processes/command-line.js';
import { type Service, startService } from '../support/processes/service.js';
import { snippetOf } from '../support/reading/pages.js';
import { sql } from '../support/stores/sql.js';

const AUDIT_SEAL_KEY = '5e'.repeat(32);
/** Debian's PostgreSQL, because pg_dump has to be of the server's version. Its programs refuse to run as root. */
const asPostgres = (command: string, ...args: string[]) =>
  ['runuser', ['-u', 'postgres', '--', join(postgresFolder()!, command), ...args]] as const;

describe('the commands of docs/runbook.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  const data = join(folder, 'data');
  let port: number;
  let service: Service;
  const url = (database: string) => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  beforeAll(async () => {
    spawnSync('chown', ['postgres', folder]);
    const made = spawnSync(...asPostgres('initdb', '-D', data, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8'));
    if (made.status !== 0) throw new Error(String(made.stderr));
    port = await freePort();
    const settings = ['-p', String(port), '-k', '', '-h', '127.0.0.1', '-c', 'fsync=off'];
    spawn(...asPostgres('postgres', '-D', data, ...settings), { stdio: 'ignore' });
    await eventually(() => sql(url('postgres'), 'SELECT 1').then(Boolean, () => false));
    await sql(url('postgres'), 'CREATE DATABASE latchkey');
    await sql(url('postgres'), 'CREATE DATABASE restored');
    service = await startService({ DATABASE_URL: url('latchkey'), AUDIT_SEAL_KEY });
  });
  afterAll(async () => {
    await service?.stop();
    spawnSync(...asPostgres('pg_ctl', 'stop', '-D', data, '-m', 'immediate'));
    rmSync(folder, { recursive: true, force: true });
  });

  const paste = async (heading: string, env: NodeJS.ProcessEnv) => {
    const lines = `latchkey() { '${process.execPath}' '${LATCHKEY}' "$@"; }\n${snippetOf('docs/runbook.md', heading, 'sh')}`;
    const { code, output } = await run('bash', ['--norc', '-ec', lines], {
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
    expect(await paste('Back up', { DATABASE_URL: url('latchkey') })).toEqual({ code: 0, output: '' });
    await service.stop();

    const restored = await paste('Restore', { RESTORED_URL: url('restored') });
    expect(restored).toEqual({ code: 0, output: expect.stringContaining('OK: the audit trail is intact') });
    expect(await sql(url('restored'), 'SELECT 1 FROM sessions')).toEqual([]);
    service = await startService({ DATABASE_URL: url('restored'), AUDIT_SEAL_KEY });
    const outcomes = await Promise.all([kept, revoked].map(({ fullKey }) => service.clients.validate(fullKey)));
    expect(outcomes.map(({ grant, denial }) => grant?.keyId ?? denial?.reason)).toEqual([
      kept.apiKey.id,
      'REASON_REVOKED',
    ]);
  });
});
