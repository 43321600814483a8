import { gauge, type Instrument, type Labels } from '../../../telemetry/instrument.js';

export interface ConnectionLoad {
  readonly used: number;
  readonly idle: number;
  /** How many may be open at once. */
  readonly most: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** @param pool what the connections are for, as a label */
export function connectionInstruments(pool: string, read: () => ConnectionLoad): Instrument[] {
  const labelled = (value: number, labels: Labels = {}) => [{ pool, ...labels }, value] as const;
  return [
    gauge('latchkey_postgres_connections', 'Connections to PostgreSQL by pool and state (used, idle)', () => [
      labelled(read().used, { state: 'used' }),
      labelled(read().idle, { state: 'idle' }),
    ]),
    gauge('latchkey_postgres_connections_max', 'Connections that a pool may open', () => [labelled(read().most)]),
    gauge('latchkey_postgres_calls_waiting', 'Calls that wait for a connection of their pool', () => [
      labelled(read().waiting),
    ]),
  ];
}
