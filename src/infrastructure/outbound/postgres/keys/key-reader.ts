import type { DatabaseClock, KeyReader, KeyReading } from '#application/validation-ports.js';
import type { DatabaseConfig } from '#config/database-config.js';
import { Batcher } from '../../batching/batcher.js';
import { gauge, histogram, type Instrument } from '#infrastructure/telemetry/instrument.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { unavailable } from '../client/errors.js';
import type { Primary } from '../client/primary.js';
import type { PrimaryClient } from '../client/connection.js';
import { NOT_SYNCHRONOUS, SYNCHRONY, type Synchrony } from '../client/server-state.js';
import { ReservedConnections, statement } from '../client/reserved-connections.js';
import type { Statement, TextStatement } from '../client/text-read.js';
import { type KeyRow, readKeys, serverOf, toReading } from './read-keys.js';

const MAX_BATCH = 512;
const MAX_IN_FLIGHT = 2;

/** Reads validations that arrive together by one autocommit statement. Batcher explains why no answer is stale. */
export class PostgresKeyReader implements KeyReader, DatabaseClock {
  private readonly connections: ReservedConnections;
  private readonly batcher: Batcher<string, KeyReading>;
  private readonly readKeys: TextStatement;
  private readonly readWithoutTimeline: TextStatement;
  /** What a read barrier checks on the server after the read. */
  private readonly readSynchrony: Statement;
  /** From when performance.now() counts: by PostgreSQL's clock at the last read, and before that by this machine's. */
  private originMs = performance.timeOrigin;

  constructor(
    private readonly primary: Primary,
    traces = NO_TRACES,
    private readonly purpose: 'validation' | 'imports' = 'validation',
    private readonly givesLeases = false,
  ) {
    const { config } = primary;
    const name = givesLeases ? 'read_leasable_keys_v4' : 'read_keys_v10';
    const read = (pooling: DatabaseConfig['pooling']) => {
      const { text, columns } = readKeys({ ...config, pooling }, givesLeases);
      return { ...statement(config, name, text), columns };
    };
    this.readKeys = read(config.pooling);
    this.readWithoutTimeline = read('session');
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
    return new Date(this.originMs + performance.now());
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
      const { rows, server, after } = await this.connections.run((client) => this.readRows(client, distinct));
      if (after) requireBarrier(server, after);
      this.primary.outage.answered('validation');
      this.originMs = server.nowMs - performance.now();
      const byPublicPart = new Map(rows.map((row) => [row.publicPart, toReading(sentAt, row, this.givesLeases)]));
      return publicParts.map((publicPart) => byPublicPart.get(publicPart)!);
    } catch (error) {
      throw this.primary.outage.failed('validation', error);
    }
  }

  private async readRows(client: PrimaryClient, publicParts: string) {
    const { knowsTimelines, config } = this.primary;
    const read = knowsTimelines ? this.readKeys : this.readWithoutTimeline;
    const rows = await client.readTexts<KeyRow>(read, [publicParts]);
    const server = serverOf(rows[0]!);
    this.primary.require(server);
    const after = config.readBarrier ? await client.query<Synchrony>(this.readSynchrony) : undefined;
    return { rows, server, after: after?.rows[0] };
  }
}

/** Throws unless the read's commit waited for a standby. The same server must still require that after the read. */
function requireBarrier({ isSynchronous, timeline }: ReturnType<typeof serverOf>, after: Synchrony): void {
  const isSameServer = timeline === undefined || timeline === after.timeline;
  if (isSynchronous && after.is_synchronous && isSameServer) return;
  throw unavailable(new Error(`READ_BARRIER is on, and ${NOT_SYNCHRONOUS}`));
}
