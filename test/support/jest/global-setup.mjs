import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../scripts/embedded-postgres.mjs';
import { acquireLock } from '../../../scripts/lib/lock.mjs';
import { removeRunFolder, removeRunsThatDied, runFolderPrefix } from './leftovers.mjs';
import { startPgBouncer } from '../stores/pgbouncer.mjs';
import { startRedis } from '../stores/redis.mjs';
import { offerSharedThings } from './shared.mjs';

/**
 * One PostgreSQL and one Redis for the whole run, a database for each suite that wants its own (see databases.mjs), and
 * shared services on demand (see shared.mjs). With LATCHKEY_TEST_POOLED=1, the tested code reaches PostgreSQL through
 * PgBouncer in transaction mode (see pooled.mjs).
 */
export default async function globalSetup() {
  const temp = tmpdir();
  await removeRunsThatDied(temp);
  const folder = join(temp, `${runFolderPrefix}${randomBytes(6).toString('hex')}`);
  // The lock is taken before the folder exists, so that another run never takes this one for a finished one.
  const lock = await acquireLock(folder);
  // PostgreSQL's user must be able to pass through it.
  mkdirSync(folder, { mode: 0o711 });
  // Everything that a suite puts into the temp folder is deleted after the run, even if the run is killed.
  process.env['TMPDIR'] = folder;

  const [postgres, redis] = await Promise.all([
    startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      // Nothing outlives the run, and Ctrl+C ends all of it.
      // A connection that a busy machine is slow to open is not cut off.
      settings: {
        fsync: 'off',
        full_page_writes: 'off',
        max_connections: '300',
        authentication_timeout: '600s',
      },
      detached: false,
    }),
    startRedis(join(folder, 'redis')),
  ]);
  process.env['LATCHKEY_TEST_DATABASE_URL'] = postgres.url;
  process.env['LATCHKEY_TEST_REDIS_URL'] = redis.url;
  const pool = process.env['LATCHKEY_TEST_POOLED'] === '1' ? await startPgBouncer(postgres.url) : undefined;
  if (pool) process.env['LATCHKEY_TEST_POOL_URL'] = pool.instead(postgres.url);
  const shared = await offerSharedThings();
  process.env['LATCHKEY_TEST_SHARED_URL'] = shared.url;

  Object.assign(globalThis, {
    async latchkeyTestTeardown() {
      await shared.stop();
      await pool?.remove();
      await Promise.all([postgres.stop(), redis.stop()]);
      await removeRunFolder(folder);
      await lock?.release();
    },
  });
}
