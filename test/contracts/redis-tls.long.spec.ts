import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { eventually } from '../support/eventually.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { startRedis } from '../support/stores/redis.mjs';

const PASSWORD = 'p@ss:word';
const OF_SENTINEL = 'sent&inel';

describe('RedisRateLimiter over TLS, with passwords', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const [cert, key] = [join(folder, 'redis.crt'), join(folder, 'redis.key')];
  const started: Awaited<ReturnType<typeof startRedis>>[] = [];
  const urls: Record<string, string> = {};
  let database: Awaited<ReturnType<typeof createDatabase>>;

  /** Also listens without TLS, so that the test can check that it is up. */
  async function start(name: string, settings: string[], sentinelLines?: string[]): Promise<number> {
    const tlsPort = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const tls = ['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-replication', 'yes', ...files];
    const file = sentinelLines && join(folder, name, 'sentinel.conf');
    if (file) {
      mkdirSync(join(folder, name));
      writeFileSync(file, `${sentinelLines.join('\n')}\n`);
    }
    const redis = await startRedis(join(folder, name), undefined, [...tls, ...settings], file);
    started.push(redis);
    return tlsPort;
  }
  beforeAll(async () => {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=redis'];
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
    expect(spawnSync('openssl', [...request, ...names]).status).toBe(0);

    const password = ['--requirepass', PASSWORD];
    const cluster = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--cluster-port', String(await freePort())];
    const known = ['--cluster-announce-ip', '127.0.0.1'];
    const node = await start('cluster', [...password, ...cluster, ...known]);
    await started[0]!.cli('-a', PASSWORD, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    const encoded = encodeURIComponent(PASSWORD);
    urls['a cluster'] = `redis+cluster://:${encoded}@127.0.0.1:${node}?tls=true`;

    const primary = await start('primary', password);
    const watched = [`sentinel monitor limits 127.0.0.1 ${primary} 1`, `sentinel auth-pass limits ${PASSWORD}`];
    const sentinel = await start('sentinel', [], [...watched, `requirepass ${OF_SENTINEL}`]);
    const query = `tls=true&sentinelPassword=${encodeURIComponent(OF_SENTINEL)}`;
    urls['sentinels'] = `redis+sentinel://:${encoded}@127.0.0.1:${sentinel}/limits?${query}`;
    await buildService();
    database = await createDatabase();
  });
  afterEach(() => ServiceProcess.killTheRest());
  afterAll(async () => {
    await Promise.all(started.map((redis) => redis.kill()));
    await database.drop();
  });

  test.each(['a cluster', 'sentinels'])('shares the limits of %s when the certificate is known', async (which) => {
    const env = { DATABASE_URL: database.url, REDIS_URL: urls[which]! };
    const trusting = await ServiceProcess.startReady({ ...env, NODE_EXTRA_CA_CERTS: cert });
    await eventually(async () => (await readMetrics(trusting.url)).sum('latchkey_redis_up') === 1);
    const wary = await ServiceProcess.startReady(env);
    await eventually(async () => wary.out.includes('Redis is away'));
    expect((await readMetrics(wary.url)).sum('latchkey_redis_up')).toBe(0);
    for (const { out, err } of [trusting, wary]) {
      for (const secret of [PASSWORD, OF_SENTINEL, encodeURIComponent(PASSWORD)])
        expect(out + err).not.toContain(secret);
    }
  });
});
