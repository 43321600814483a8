import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { startRedis } from '../../test/support/stores/redis.mjs';
import { connected } from './database.mjs';
import { loadWith } from './load.mjs';
import { seed } from './seed.mjs';
import { startService } from './service.mjs';

/** A real PostgreSQL with its default durability and a real Redis, for one run of the benchmark. */
export async function openLab() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  // PostgreSQL never runs as root, so its user must be able to enter the folder.
  chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    settings: { shared_buffers: '1GB', max_wal_size: '4GB' },
    detached: false,
  });
  const redis = await startRedis(join(folder, 'redis'));
  const execute = (/** @type {string} */ statement) => connected(postgres.url, (client) => client.query(statement));
  const urlOf = (/** @type {string} */ name) => new URL(`/${name}`, postgres.url).href;

  /** The numbers of keys in the databases that are created once and then copied. @type {Set<number>} */
  const templates = new Set();
  const template = async (/** @type {number} */ keys) => {
    const name = `stored_${keys}`;
    if (templates.has(keys)) return name;
    await execute(`CREATE DATABASE ${name}`);
    // The service migrates the database and creates the demo owner.
    await (await startService(urlOf(name))).stop();
    await seed(urlOf(name), keys);
    templates.add(keys);
    return name;
  };

  let databases = 0;
  /** A migrated database with this number of keys. @param {number} keys */
  const database = async (keys) => {
    const name = `bench_${(databases += 1)}`;
    await execute(`CREATE DATABASE ${name} TEMPLATE ${await template(keys)} STRATEGY file_copy`);
    return urlOf(name);
  };

  const close = async () => {
    await redis.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { redisUrl: redis.url, redisPid: redis.pid, load: loadWith(folder), database, close };
}

/** @typedef {Awaited<ReturnType<typeof openLab>>} Lab */
