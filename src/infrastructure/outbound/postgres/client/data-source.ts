import pg from 'pg';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import type { DatabaseConfig } from '#config/database-config.js';
import { PostgresNames } from './columns.js';
import type { PrimaryClient } from './connection.js';
import { type PoolConfig, PrimaryPool } from './pool.js';
import type { Primary } from './primary.js';
import {
  PREPARES_COMMIT,
  READABLE,
  SERVER_STATE,
  type ServerState,
  setting,
  WITHOUT_TIMELINES,
} from './server-state.js';
import { committedSynchronously, refuseAmongAbandonedWaits } from './standby.js';

const NAME = 'latchkey';
const POOL_SIZE = 10;

/** In milliseconds. The server times out a statement first; `answerTimeoutMs` is for a server that does not answer. */
export const LIMITS = {
  statement_timeout: 5000,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
  answerTimeoutMs: 6000,
  connectTimeoutMs: 2000,
};
export type Limits = Partial<typeof LIMITS>;
const LONGEST_LOCK_WAIT_MS = 60;

/**
 * How long a migration waits for the lock of a table. Everything that uses the table waits behind it, so this is at most
 * half of what a validation has.
 */
export function lockTimeoutMs({ timeoutMs }: Pick<DatabaseConfig, 'timeoutMs'>): number {
  return Math.min(LONGEST_LOCK_WAIT_MS, Math.floor(timeoutMs / 2));
}

export type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * The pool for everything but the validation path: create, list, revoke, accounts, sessions. Each connection is a
 * PostgreSQL session, which is set up once (`PrimaryClient.setUp`). With DATABASE_POOLING=transaction, each transaction
 * may get another session, so each sets and checks it first.
 */
export class SessionSource extends DataSource {
  /** Once it is initialized. */
  readonly pool: () => PrimaryPool;
  /** What a transaction sets; undefined where the session keeps it. */
  private readonly settings: string | undefined;

  constructor(
    readonly primary: Primary,
    /** The tables and the migrations that create them. */
    schema: Pick<DataSourceOptions, 'entities' | 'migrations'>,
    limits: Limits,
  ) {
    const { answerTimeoutMs, connectTimeoutMs = LIMITS.connectTimeoutMs, ...serverLimits } = limits;
    const isSession = primary.config.pooling === 'session';
    let pool: PrimaryPool | undefined;
    super({
      type: 'postgres',
      url: primary.url,
      ...schema,
      namingStrategy: new PostgresNames(),
      migrationsTransactionMode: 'each',
      logging: false,
      applicationName: NAME,
      poolSize: POOL_SIZE,
      // As for validations, a longer timeout of a statement also gives a connection more time.
      connectTimeoutMS: Math.max(connectTimeoutMs, primary.config.timeoutMs),
      // PgBouncer refuses a connection that sets these limits as startup parameters.
      extra: { answerTimeoutMs, ...(isSession ? serverLimits : {}) },
      driver: {
        ...pg,
        // Called with `new`, whose result is what this returns.
        Pool: function makePool(config: PoolConfig) {
          return (pool = new PrimaryPool(primary, config, setUp));
        },
      },
    });
    this.pool = () => pool!;
    this.settings = isSession ? undefined : setting({ ...READABLE, ...serverLimits }, 'transaction');
  }

  /** Runs each statement by itself, unless the pool needs a transaction. */
  run<T>(work: Work<T>): Promise<T> {
    return this.settings === undefined ? work(this.manager) : this.readCommitted(work);
  }

  /** @param manager one with a connection of its own; by default any connection of the pool */
  readCommitted<T>(work: Work<T>, manager = this.manager): Promise<T> {
    return this.begin('READ COMMITTED', work, manager);
  }

  snapshot<T>(work: Work<T>): Promise<T> {
    return this.begin('REPEATABLE READ', work, this.manager);
  }

  /** A transaction that is rolled back, or whose result is not returned, unless a synchronous standby takes it. */
  async synchronously<T>(work: Work<T>): Promise<T> {
    const runner = this.createQueryRunner();
    const commit = (checkBefore: () => Promise<void>) =>
      this.readCommitted(async (manager) => {
        const answer = await work(manager);
        await checkBefore();
        return answer;
      }, runner.manager);
    try {
      return await committedSynchronously((text) => runner.query(text), commit);
    } finally {
      await runner.release();
    }
  }

  private begin<T>(isolation: string, work: Work<T>, on: EntityManager): Promise<T> {
    const { primary, settings } = this;
    const state = primary.knowsTimelines ? SERVER_STATE : WITHOUT_TIMELINES;
    const opening = settings === undefined ? 'SELECT' : `${state}, ${settings},`;
    return on.transaction(async (manager) => {
      // TypeORM passes on the result of one statement only, so this uses pg directly.
      const client = (await manager.queryRunner!.connect()) as PrimaryClient;
      const text = `SET TRANSACTION ISOLATION LEVEL ${isolation}; ${opening} ${PREPARES_COMMIT}`;
      const [, answer] = (await client.query(text)) as unknown as pg.QueryResult<ServerState>[];
      if (settings !== undefined) client.requirePrimary(answer!.rows[0]!);
      return work(manager);
    });
  }
}

async function setUp(client: PrimaryClient): Promise<void> {
  await client.setUp();
  await refuseAmongAbandonedWaits(client, { name: NAME, timeoutMs: LIMITS.answerTimeoutMs, most: POOL_SIZE });
}
