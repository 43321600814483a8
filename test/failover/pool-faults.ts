import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { OwnPostgres } from '../faults/own-postgres.js';
import { eventually } from '../support/eventually.js';
import type { PgBouncer } from '../support/stores/pgbouncer.mjs';

export interface PoolGround {
  readonly postgres: OwnPostgres;
  readonly pool: PgBouncer;
}

export interface PoolFault {
  readonly name: string;
  /** Resolves when the fault is over. */
  happen(ground: PoolGround): Promise<void>;
}

/** How long something is unavailable: longer than any timeout of a validation. */
const AWAY_MS = 3000;
/** The number of sessions in the pool. */
export const SESSIONS = 26;

export const POOL_FAULTS: readonly PoolFault[] = [
  {
    name: 'PgBouncer is restarted',
    happen: async ({ pool }) => {
      await pool.end();
      await pool.start();
    },
  },
  {
    name: 'PgBouncer is killed and away for 3 s',
    happen: async ({ pool }) => {
      await pool.end('SIGKILL');
      await pause(AWAY_MS);
      await pool.start();
    },
  },
  {
    name: 'PgBouncer is paused for 3 s and resumed',
    happen: async ({ pool }) => {
      await pool.command('PAUSE');
      await pause(AWAY_MS);
      await pool.command('RESUME');
    },
  },
  {
    name: 'PgBouncer drops all its clients and servers (KILL) and is resumed after 3 s',
    happen: async ({ pool, postgres }) => {
      const name = new URL(postgres.url).pathname.slice(1);
      await pool.command(`KILL ${name}`);
      await pause(AWAY_MS);
      await pool.command(`RESUME ${name}`);
    },
  },
  {
    name: 'PgBouncer hangs for 3 s',
    happen: async ({ pool }) => {
      pool.signal('SIGSTOP');
      await pause(AWAY_MS);
      pool.signal('SIGCONT');
    },
  },
  {
    name: 'others hold every session of the pool for 3 s',
    happen: async ({ pool, postgres }) => {
      const url = pool.instead(postgres.url);
      const others = Array.from({ length: SESSIONS }, () => new pg.Client({ connectionString: url }));
      for (const other of others) other.on('error', () => undefined);
      await Promise.all(others.map((other) => other.connect()));
      await Promise.all(others.map((other) => other.query('BEGIN')));
      await pause(AWAY_MS);
      await Promise.all(others.map((other) => other.query('ROLLBACK').then(() => other.end())));
    },
  },
  {
    name: 'PostgreSQL is restarted behind it',
    happen: async ({ postgres }) => {
      await postgres.stop();
      await postgres.startAgain();
    },
  },
  {
    name: 'PostgreSQL is killed behind it',
    happen: async ({ postgres }) => {
      await postgres.kill();
      await postgres.startAgain();
    },
  },
  {
    name: 'PostgreSQL hangs behind it for 3 s',
    happen: async ({ postgres }) => {
      postgres.pause();
      await pause(AWAY_MS);
      postgres.resume();
    },
  },
  {
    name: 'PostgreSQL comes back as a standby behind it, and is promoted',
    happen: async ({ postgres }) => {
      await postgres.stop();
      postgres.becomeStandby();
      await postgres.startAgain();
      await pause(AWAY_MS);
      await eventually(() =>
        postgres.promote().then(
          () => true,
          () => false,
        ),
      );
    },
  },
];
