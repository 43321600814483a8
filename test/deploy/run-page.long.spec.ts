import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { serviceMemory, serviceNodeFlags } from '../../scripts/lib/service.mjs';
import { client, createKey, newOwner, openApplication, runOut } from '../support/application/application.js';
import { runCommand } from '../support/processes/command-line.js';
import { blocksOf } from '../support/reading/pages.js';
import { sql } from '../support/stores/sql.js';
import { Machine } from './run-page/machine.js';

// Without the first block, which installs packages and clones the repository.
const [, ...blocks] = blocksOf('docs/operate.md', 'sh', 'Two instances behind TLS');
const lineOf = (pattern: RegExp) => pattern.exec(blocks.join(''))![0];
const unit = readFileSync(join(root, 'deploy/systemd/latchkey@.service'), 'utf8');

describe('the commands in docs/operate.md', () => {
  let machine: Machine;
  let printed: string[];
  beforeAll(async () => {
    machine = await Machine.start();
    printed = await machine.paste(blocks);
  });
  afterAll(() => machine?.stop());

  const settings = () =>
    Object.fromEntries(
      machine
        .read('/etc/latchkey/latchkey.env')
        .trim()
        .split('\n')
        .map((line) => line.replaceAll("'", '').split(/=(.*)/, 2) as [string, string]),
    );
  test('set up two instances that grant a request and log no warning', () => {
    expect(printed.join('')).toContain('without a key: 401\nwith the key: 200\n');
    expect(printed).toHaveLength(blocks.length);
    expect(printed.join('').match(/\{"status":"ok"/g)).toHaveLength(2);
    // Redis may be slow on a busy machine, which this test does not check.
    const warnings = machine.logs().match(/^.*"level":[4-6]0.*$/gm) ?? [];
    expect(warnings.filter((line) => !line.includes('Redis is away'))).toEqual([]);
  });

  test('give each instance a port for its metrics', async () => {
    const requests = ['9091', '9092'].map(
      (port) => `curl -sf http://127.0.0.1:${port}/metrics | grep -c latchkey_ready`,
    );
    const [counts] = await machine.paste([requests.join('\n')]);
    expect(counts!.trim().split('\n').map(Number)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(counts).not.toMatch(/^0$/m);
  });

  test('set up a proxy that grants requests while an instance is stopped', async () => {
    // Enough requests to reach both instances, regardless of the one that Caddy begins with.
    const again = Array.from({ length: 8 }, () => lineOf(/^ *curl .* 'with the key: .*$/m));
    const [printed] = await machine.paste([['systemctl stop latchkey@1', ...again].join('\n')]);
    expect(printed).toBe('with the key: 200\n'.repeat(again.length));
  });

  test.each(['keys', 'api'])('set up a proxy that does not listen for %s on port 80', async (name) => {
    const url = `http://${name}.localhost:${machine.plainPort}/v1/key`;
    const [said] = await machine.paste([`curl -sS -i -H 'Authorization: Bearer lk_key' ${url} || true`]);
    expect(said).toContain('curl: (7)');
  });

  test.each(['/metrics', '/metrics/', '/METRICS', '/v1/forward-auth?mode=caddy', '/v1/introspect', '/docs', '/readyz'])(
    'do not publish %s',
    async (path) => {
      const request = `curl -sS -o /dev/null -w '%{http_code}' 'https://keys.example.com${path}'`;
      expect(await machine.paste([request])).toEqual(['404']);
    },
  );

  test('create a role for the service that can read all tables, and change neither tables nor the audit trail', async () => {
    const url = settings()['DATABASE_URL']!;
    const tables = await sql<{ name: string }>(
      url,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) await sql(url, `SELECT FROM ${name} LIMIT 1`);
    for (const change of [
      'UPDATE audit_events SET count = 1',
      'DELETE FROM audit_events',
      'DELETE FROM api_keys',
      'DELETE FROM accounts',
      'UPDATE audit_seals SET mac = mac',
      'TRUNCATE audit_events',
      'ALTER TABLE audit_events DISABLE TRIGGER USER',
      'CREATE TABLE mine (id int)',
      'CREATE TEMPORARY TABLE mine (id int)',
      'SET ROLE latchkey_owner',
    ]) {
      await expect(sql(url, change)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  test('create a role for the service that may do all that the service does', async () => {
    const noticeReceivers = { webhook: true, mail: true };
    const app = await openApplication(settings()['DATABASE_URL']!, { noticeReceivers });
    try {
      const [owner, expiring] = [await newOwner(app), await newOwner(app)];
      const { key } = await createKey(app, expiring.id);
      await runOut(app, key.id);
      expect(await app.dueEnds.ofAll()).toBe(1);
      const [delivered, failed] = await app.outbox.claim('webhook', 2);
      await app.outbox.delivered(delivered!);
      await app.outbox.failed(failed!, 'no', undefined);
      expect(await app.outbox.retry(undefined)).toBe(1);
      const { key: used } = await createKey(app, owner.id);
      for (const network of [1, 2]) app.usage.noteGrant(used.id, `192.0.${network}.1`, null, new Date());
      await app.usage.flush();
      for (const change of ['suspend', 'reactivate', 'delete'] as const) await app.changeAccount[change](owner.id);
      await app.changeAccount.purge(owner.id, undefined, { actorId: 'admin:ada', client: client() });
      await app.housekeeping.run();
    } finally {
      await app.close();
    }
    const [revoked] = await machine.paste([
      'node --env-file=/etc/latchkey/latchkey.env dist/composition/cli.js keys revoke --owner ada --all --yes',
    ]);
    expect(revoked).toMatch(/^revoked .*"first"\)$/m);
  });

  test('set up a service that names the role for migrations if the tables are too old', async () => {
    const url = new URL(machine.postgres.url);
    url.pathname = '/latchkey';
    await sql(url.href, `DELETE FROM migrations WHERE name = 'Keys1765410000000'`);
    const [said] = await machine.paste(['node --env-file=/etc/latchkey/latchkey.env dist/main.js || true']);
    expect(said!.split('\n').at(-2)).toMatch(
      /^latchkey: DATABASE_URL: the tables are missing or older than this version, and this role may not change that \((must be owner|permission denied)[^)]*\): run `latchkey migrate` as a role that may$/,
    );
  });

  test('install a unit that systemd accepts and that runs the service like the image', async () => {
    const { code, err } = await runCommand('systemd-analyze', [
      'verify',
      machine.here('/etc/systemd/system/latchkey@.service'),
    ]);
    expect({ code, err: err.split('\n').filter((line) => line.includes('latchkey')) }).toEqual({ code: 0, err: [] });
    const wanted = [...serviceNodeFlags, '--env-file=/etc/latchkey/latchkey.env', 'dist/main.js'].join(' ');
    expect(unit).toContain(`\nExecStart=/usr/bin/node ${wanted}\n`);
    expect(unit).toContain(
      Object.entries(serviceMemory)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    );
    // An orderly stop takes 12 seconds at most (src/composition/workers/workers.ts).
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThan(12);
  });
});
