import { setTimeout as pause } from 'node:timers/promises';
import { type DataSource, type Migration, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { DatabaseConfig } from '#config/database-config.js';
import { lockTimeoutMs, type SessionSource } from '../client/data-source.js';
import { watchBlockers } from './blockers.js';

/** An arbitrary number, the same on all instances. One instance migrates; the others wait for it. */
const MIGRATION_LOCK = 5_052_193_861;
const POLL_MS = 100;
/** The SQLSTATE `lock_not_available`. */
const LOCK_TIMEOUT = '55P03';
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** While an index is built, for what the operator reads. */
const LOOK_EVERY_MS = 1000;

/** The baseline is named like the last migration of 0.2.0, so that a database of 0.2.0 has it already. */
export const BASELINE = 'KeyRevocations1764510000000';

type Config = Pick<DatabaseConfig, 'timeoutMs' | 'pooling'>;

/** Receives a line for the operator whenever a migration has to wait, or has found something. */
export type Report = (line: string) => void;

/** A migration that fills `findings` in `up`, for the operator to read. */
export interface ReportingMigration extends MigrationInterface {
  readonly findings: readonly string[];
}

/** Applies the missing migrations, and returns the names of those that this call applied. */
export async function migrate(source: SessionSource, config: Config, report: Report): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    const tooOld = whyTooOld(await appliedMigrations(runner));
    if (tooOld) throw new Error(tooOld);
    const executor = new MigrationExecutor(source, runner);
    const applied: string[] = [];
    for (const migration of await executor.getPendingMigrations()) {
      const missing = new MissingMigration(migration, { source, runner, executor, config, report });
      if (!(await missing.apply())) continue;
      applied.push(migration.name);
      for (const line of (migration.instance as Partial<ReportingMigration>).findings ?? []) report(line);
    }
    return applied;
  } finally {
    await runner.release();
  }
}

interface Run {
  readonly source: SessionSource;
  /** Has one connection, for all statements of the migrations. */
  readonly runner: QueryRunner;
  readonly executor: MigrationExecutor;
  readonly config: Config;
  readonly report: Report;
}

type Outcome = 'applied' | 'known' | 'elsewhere';

class MissingMigration {
  /** The sessions that kept the last attempt waiting. */
  private blockers: string | undefined;

  constructor(
    private readonly migration: Migration,
    private readonly run: Run,
  ) {}

  /**
   * Returns false when another instance has applied it. Between two attempts this holds neither a lock nor a snapshot,
   * for which an index would have to wait.
   */
  async apply(): Promise<boolean> {
    const { report } = this.run;
    let isWaiting = false;
    for (let pauseMs = FIRST_PAUSE_MS; ;) {
      try {
        const outcome = await (this.migration.instance!.transaction === false
          ? this.inSession()
          : this.inTransaction());
        if (outcome !== 'elsewhere') return outcome === 'applied';
        if (!isWaiting) report('waiting for another instance, which migrates the database');
        isWaiting = true;
        await pause(POLL_MS);
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_TIMEOUT) throw error;
        report(`${this.waitsFor(this.blockers ?? 'another transaction')}; trying again in ${pauseMs / 1000} s`);
        await pause(pauseMs);
        pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
      }
    }
  }

  /** At READ COMMITTED, which sees what another instance committed before this one took the lock. */
  private inTransaction(): Promise<Outcome> {
    const { source, runner, config } = this.run;
    const waitMs = lockTimeoutMs(config);
    return source.readCommitted(async () => {
      await runner.query(`SELECT set_config('lock_timeout', $1, true)`, [String(waitMs)]);
      return this.underLock('pg_try_advisory_xact_lock', waitMs / 4);
    }, runner.manager);
  }

  /** For indexes. They wait for other transactions without a limit, because no statement waits behind them. */
  private async inSession(): Promise<Outcome> {
    const { runner, config, report } = this.run;
    if (config.pooling !== 'session') {
      // Nothing waits for tables without rows, so a new database needs no session.
      if (await hasNoAccounts(runner)) return this.inTransaction();
      throw new Error(
        `the migration ${this.migration.name} builds an index, which takes a session that a pool does not give: ` +
          'run `latchkey migrate` with the address of PostgreSQL itself, and without DATABASE_POOLING',
      );
    }
    await runner.query(`SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)`);
    try {
      return await this.underLock('pg_try_advisory_lock', LOOK_EVERY_MS, (names) => report(this.waitsFor(names)));
    } finally {
      // If the connection was lost, PostgreSQL has released it.
      await runner.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    }
  }

  private async underLock(take: string, lookEveryMs: number, onNew?: (blockers: string) => void): Promise<Outcome> {
    const { source, runner, executor } = this.run;
    const statement = `SELECT ${take}($1) AS taken, pg_backend_pid() AS pid`;
    const [row]: { taken: boolean; pid: number }[] = await runner.query(statement, [MIGRATION_LOCK]);
    if (!row!.taken) return 'elsewhere';
    if ((await appliedMigrations(runner)).includes(this.migration.name)) return 'known';
    const watch = watchBlockers(source, row!.pid, lookEveryMs, onNew);
    try {
      await executor.executeMigration(this.migration);
      return 'applied';
    } finally {
      this.blockers = await watch.stop();
    }
  }

  private waitsFor(blockers: string): string {
    return `the migration ${this.migration.name} waits for ${blockers}`;
  }
}

/** The names of the applied migrations. */
export async function appliedMigrations(on: Pick<DataSource | QueryRunner, 'query'>): Promise<string[]> {
  // to_regclass would be wrong here: a session remembers that a name is unknown until it locks a table.
  const [row]: { exists: boolean }[] = await on.query(
    `SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migrations' AND pg_table_is_visible(oid)) AS exists`,
  );
  if (!row!.exists) return [];
  const applied: { name: string }[] = await on.query('SELECT name FROM migrations');
  return applied.map(({ name }) => name);
}

/** Returns what to do about tables that this version can't migrate, because they are older than its baseline. */
export function whyTooOld(applied: readonly string[]): string | undefined {
  if (applied.length === 0 || applied.includes(BASELINE)) return undefined;
  return 'the tables are older than those of 0.2.0: upgrade to 0.2.0 first, then to this version';
}

async function hasNoAccounts(runner: QueryRunner): Promise<boolean> {
  const [row]: { isNew: boolean }[] = await runner.query('SELECT NOT EXISTS (SELECT FROM accounts) AS "isNew"');
  return row!.isNew;
}
