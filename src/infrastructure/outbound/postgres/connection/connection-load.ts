import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { gauge, type Instrument, type Labels } from '../../../telemetry/instrument.js';

export interface ConnectionLoad {
  readonly used: number;
  readonly idle: number;
  /** May be open at once. */
  readonly most: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** Of the pool that everything but the validation path shares. */
export function poolLoad(dataSource: DataSource): ConnectionLoad {
  const pool = (dataSource.driver as unknown as { master: Pool }).master;
  const { totalCount, idleCount, waitingCount } = pool;
  return { used: totalCount - idleCount, idle: idleCount, most: pool.options.max, waiting: waitingCount };
}

/** @param pools each by what it is for */
export function connectionInstruments(pools: Readonly<Record<string, () => ConnectionLoad>>): Instrument[] {
  const each = (read: (load: ConnectionLoad) => number, labels: Labels = {}) =>
    Object.entries(pools).map(([pool, load]) => [{ pool, ...labels }, read(load())] as const);
  return [
    gauge('latchkey_postgres_connections', 'Connections to PostgreSQL by pool and state (used, idle)', () => [
      ...each(({ used }) => used, { state: 'used' }),
      ...each(({ idle }) => idle, { state: 'idle' }),
    ]),
    gauge('latchkey_postgres_connections_max', 'Connections that a pool may open', () => each(({ most }) => most)),
    gauge('latchkey_postgres_calls_waiting', 'Calls that wait for a connection of their pool', () =>
      each(({ waiting }) => waiting),
    ),
  ];
}
