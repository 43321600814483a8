import type pg from 'pg';
import type { DatabaseClock, KeyReader, KeyReading } from '#application/ports.js';
import { Batcher } from '../../batching/batcher.js';
import { gauge, histogram, type Instrument } from '#infrastructure/telemetry/instrument.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { PostgresOutage, unavailable } from '../client/errors.js';
import type { Primary } from '../client/primary.js';
import { NOT_SYNCHRONOUS, SYNCHRONY, type Synchrony } from '../client/server-state.js';
import { ReservedConnections, type Statement, statement } from '../client/reserved-connections.js';
import { type KeyReadingRow, readKeys, toReading } from './read-keys.js';

const MAX_BATCH = 512;
const MAX_IN_FLIGHT = 2;

/** Reads validations that arrive together by one autocommit statement. Batcher explains why no answer is stale. */
export class PostgresKeyReader implements KeyReader, DatabaseClock {
  private readonly connections: ReservedConnections;
  private readonly batcher: Batcher<string, KeyReading>;
  private readonly readKeys: Statement;
  private readonly readWithoutTimeline: Statement;
  /** What a read barrier checks on the server after the read. */
  private readonly readSynchrony: Statement;
  /** When the last read was answered, by PostgreSQL and by performance.now(). */
  private answeredAt: number | undefined;
  private answeredAtMs = 0;

  constructor(
    private readonly primary: Primary,
    traces = NO_TRACES,
    private readonly outage = new PostgresOutage(),
    private readonly purpose: 'validation' | 'imports' = 'validation',
    givesLeases = false,
  ) {
    const { config } = primary;
    const name = givesLeases ? 'read_leasable_keys_v3' : 'read_keys_v9';
    this.readKeys = statement(config, name, readKeys(config, givesLeases));
    this.readWithoutTimeline = statement(config, name, readKeys({ ...config, pooling: 'session' }, givesLeases));
    this.readSynchrony = statement(config, 'barrier_held_v1', SYNCHRONY);
    this.connections = new ReservedConnections(primary, purpose, MAX_IN_FLIGHT, true);
    this.batcher = new Batcher({
      send: (publicParts) => this.readAll(publicParts),
      maxBatch: MAX_BATCH,
      maxInFlight: MAX_IN_FLIGHT,
      timeoutMs: config.timeoutMs,
      name: 'postgresql read_keys',
      traces,
    });
  }

  read(publicPart: string): Promise<KeyReading> {
    return this.batcher.add(publicPart);
  }

  now(): Date {
    if (this.answeredAt === undefined) return new Date();
    return new Date(this.answeredAt + performance.now() - this.answeredAtMs);
  }

  open(): Promise<void> {
    return this.connections.open();
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  instruments(): Instrument[] {
    const { batcher, purpose } = this;
    const labels = purpose === 'validation' ? {} : { reads: purpose };
    return [
      histogram('latchkey_batch_size', 'Validations answered by one read of PostgreSQL', () => [
        [labels, batcher.sizes],
      ]),
      gauge('latchkey_batches_in_flight', 'Reads under way for validations', () => [[labels, batcher.load.inFlight]]),
      gauge('latchkey_validations_waiting', 'Validations waiting for the next read', () => [
        [labels, batcher.load.waiting],
      ]),
      ...this.connections.instruments(),
    ];
  }

  private async readAll(publicParts: readonly string[]): Promise<KeyReading[]> {
    const sentAt = performance.now();
    const distinct = [...new Set(publicParts)].join();
    try {
      const { rows, after } = await this.connections.run((client) => this.readRows(client, distinct));
      if (after) requireBarrier(rows[0]!, after);
      this.outage.answered('validation');
      this.answeredAt = rows[0]!.now * 1000;
      this.answeredAtMs = performance.now();
      const byPublicPart = new Map(rows.map((row) => [row.public_part, toReading(sentAt, row)]));
      return publicParts.map((publicPart) => byPublicPart.get(publicPart)!);
    } catch (error) {
      throw this.outage.failed('validation', error);
    }
  }

  private async readRows(client: pg.ClientBase, publicParts: string) {
    const { knowsTimelines, config } = this.primary;
    const read = knowsTimelines ? this.readKeys : this.readWithoutTimeline;
    const { rows } = await client.query<KeyReadingRow>({ ...read, values: [publicParts] });
    this.primary.require(rows[0]!);
    const after = config.readBarrier ? await client.query<Synchrony>(this.readSynchrony) : undefined;
    return { rows, after: after?.rows[0] };
  }
}

/** Throws unless the read's commit waited for a standby. The same server must still require that after the read. */
function requireBarrier(read: KeyReadingRow, after: Synchrony): void {
  const isSameServer = read.timeline === undefined || read.timeline === after.timeline;
  if (read.is_synchronous && after.is_synchronous && isSameServer) return;
  throw unavailable(new Error(`READ_BARRIER is on, and ${NOT_SYNCHRONOUS}`));
}
