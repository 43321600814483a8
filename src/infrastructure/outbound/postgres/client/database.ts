import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { DatabaseConfig } from '../../../../config/database-config.js';
import type { Instrument } from '../../../telemetry/instrument.js';
import { connectionInstruments, type ConnectionLoad } from './connection-load.js';
import { withTimeout } from './timeout.js';
import { PostgresOutage } from './outage.js';
import type { SessionSource, Work } from './data-source.js';
import { storeError } from './errors.js';

/** The pool of everything but the validation path. Whatever keeps PostgreSQL from answering becomes `unavailable`. */
export class Database {
  /**
   * @param dataSource connected
   * @param patienceMs how long a call may take; as long as the server lets it, unless given
   */
  constructor(
    private readonly dataSource: SessionSource,
    private readonly config: Pick<DatabaseConfig, 'requireSynchronous'>,
    private readonly outage = new PostgresOutage(),
    private readonly patienceMs?: number,
  ) {}

  /** The same pool, for calls that a validation waits for. One that is given up may still be carried out. */
  within(patienceMs: number): Database {
    return new Database(this.dataSource, this.config, this.outage, patienceMs);
  }

  instruments(): Instrument[] {
    return connectionInstruments('management', () => this.load());
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  run<T>(work: Work<T>): Promise<T> {
    return this.ask(() => this.dataSource.run(work));
  }

  /** All or nothing, at READ COMMITTED: what must hold across statements is guarded by row locks. */
  transaction<T>(work: Work<T>): Promise<T> {
    const { dataSource, config } = this;
    return this.ask(() =>
      config.requireSynchronous ? dataSource.synchronously(work) : dataSource.readCommitted(work),
    );
  }

  /** One statement that changes something. */
  change<T>(work: Work<T>): Promise<T> {
    return this.config.requireSynchronous ? this.transaction(work) : this.run(work);
  }

  /** All of it sees what was committed before it began. */
  snapshot<T>(work: Work<T>): Promise<T> {
    return this.ask(() => this.dataSource.snapshot(work));
  }

  private ask<T>(work: () => Promise<T>): Promise<T> {
    const { patienceMs } = this;
    return this.outage.watch('management', async () => {
      try {
        return await (patienceMs === undefined ? work() : withTimeout(patienceMs, work()));
      } catch (error) {
        throw storeError(error);
      }
    });
  }

  private load(): ConnectionLoad {
    const { totalCount, idleCount, waitingCount, options } = (this.dataSource.driver as PostgresDriver).master as Pool;
    return { used: totalCount - idleCount, idle: idleCount, most: options.max, waiting: waitingCount };
  }
}

/** One clock for all instances, in SQL. To the millisecond, rounded down, as timestamptz(3) columns hold it. */
export const NOW = `date_trunc('milliseconds', clock_timestamp())`;

export async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ now: Date }[]>(`SELECT ${NOW} AS now`);
  return row!.now;
}
