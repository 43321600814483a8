import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { succeed } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';
import { cleanEnvironment } from './place.mjs';

const UNFINISHED = '.latchkey-init-';

/**
 * Creates the cluster unless it exists. It is created under another name and renamed when it is complete, so that an
 * interrupted start leaves a folder to delete, never one that looks like a database.
 * @param {import('./place.mjs').Place} place
 * @param {{ initdb: string, postgres: string }} programs
 * @param {{ durable: boolean }} options
 */
export async function ensureCluster({ home, cluster, identity }, programs, { durable }) {
  for (const name of readdirSync(home).filter((each) => each.startsWith(UNFINISHED))) {
    // The initdb of a killed start may still write into it.
    rmSync(join(home, name), { recursive: true, maxRetries: 10 });
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  if (existsSync(dirname(cluster))) throw new Stop(`${cluster} contains no database: move ${dirname(cluster)} away.`);

  const fresh = mkdtempSync(join(home, UNFINISHED));
  const password = join(fresh, 'password');
  const data = join(fresh, 'cluster');
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  if (identity.uid !== undefined) {
    for (const path of [fresh, password]) chownSync(path, identity.uid, identity.gid ?? 0);
  }

  const as = { ...identity, cwd: '/', env: cleanEnvironment };
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=latchkey', '--auth=scram-sha-256', `--pwfile=${password}`];
  const speed = durable ? [] : ['--no-sync'];
  await succeed(programs.initdb, ['-D', data, ...locale, ...access, ...speed], as);
  // Single-user mode: no network, no client library, nothing to wait for.
  const single = ['--single', '-D', data, '-c', `fsync=${durable ? 'on' : 'off'}`, 'postgres'];
  await succeed(programs.postgres, single, { ...as, input: 'CREATE DATABASE latchkey;\n' });
  renameSync(fresh, dirname(cluster));
}
