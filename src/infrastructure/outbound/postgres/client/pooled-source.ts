import type { DataSourceOptions, EntityManager } from 'typeorm';
import type pg from 'pg';
import type { Primary } from './primary.js';
import { requirePrimary } from './primary-client.js';
import { SERVER_STATE, type ServerState, WITHOUT_TIMELINES } from './server-state.js';
import { SessionSource, type Work } from './session-source.js';

/** Milliseconds, by the name of the setting. */
export type ServerLimits = Readonly<Record<string, number>>;

/**
 * Behind a pool that may give each transaction another session of another server (DATABASE_POOLING=transaction): what a
 * connection was told or has found once does not hold, so each transaction is told, and asked, in one round trip.
 */
export class PooledSource extends SessionSource {
  private readonly limits: string;

  constructor(
    options: DataSourceOptions,
    private readonly primary: Primary,
    limits: ServerLimits,
  ) {
    super(options);
    const warnings = `, set_config('client_min_messages', 'warning', true)`;
    this.limits = Object.entries(limits)
      .map(([name, ms]) => `, set_config('${name}', '${ms}', true)`)
      .concat(warnings)
      .join('');
  }

  override run<T>(work: Work<T>): Promise<T> {
    return this.readCommitted(work);
  }

  override readCommitted<T>(work: Work<T>, manager = this.manager): Promise<T> {
    return this.begin('READ COMMITTED', work, manager);
  }

  override snapshot<T>(work: Work<T>): Promise<T> {
    return this.begin('REPEATABLE READ', work);
  }

  private begin<T>(isolation: string, work: Work<T>, on = this.manager): Promise<T> {
    return on.transaction(async (manager) => {
      const state = this.primary.knowsTimelines ? SERVER_STATE : WITHOUT_TIMELINES;
      const [, asked] = await twoStatements(
        manager,
        `SET TRANSACTION ISOLATION LEVEL ${isolation}; ${state}${this.limits}`,
      );
      requirePrimary(this.primary, (asked as pg.QueryResult<ServerState>).rows[0]!);
      return work(manager);
    });
  }
}

/** TypeORM passes on what one statement answers. */
async function twoStatements(manager: EntityManager, text: string): Promise<pg.QueryResult[]> {
  const client = (await manager.queryRunner!.connect()) as pg.ClientBase;
  return (await client.query(text)) as unknown as pg.QueryResult[];
}
