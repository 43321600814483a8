import type { Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Instrument } from '../../../telemetry/instrument.js';
import { connectionInstruments, type ConnectionLoad } from './connection-load.js';
import { PostgresOutage } from './postgres-outage.js';
import { storeError } from './store-error.js';

/** The pool of everything but the validation path. Whatever keeps PostgreSQL from answering becomes `unavailable`. */
export class Database {
  /** @param dataSource connected */
  constructor(
    private readonly dataSource: DataSource,
    private readonly outage = new PostgresOutage(),
  ) {}

  instruments(): Instrument[] {
    return connectionInstruments('management', () => this.load());
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.ask(() => work(this.dataSource.manager));
  }

  /** All or nothing, at READ COMMITTED (`new-connection.ts`): what must hold across statements is guarded by row locks. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.ask(() => this.dataSource.transaction(work));
  }

  /** All of it sees what was committed before it began. */
  snapshot<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.ask(() => this.dataSource.transaction('REPEATABLE READ', work));
  }

  private ask<T>(work: () => Promise<T>): Promise<T> {
    return this.outage.watch('management', () =>
      work().catch((error: unknown) => {
        throw storeError(error);
      }),
    );
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
