import type { Instrument } from '../../../telemetry/instrument.js';
import { endAbandonedWaits } from './standby.js';
import { connectionInstruments, type ConnectionLoad } from './connection-load.js';
import { withTimeout } from './timeout.js';
import type { Primary } from './primary.js';
import { PrimaryClient } from './connection.js';
import { type Ask, asksOn } from './statement.js';
import { storeError, unavailable } from './errors.js';

const RECONNECT_PAUSE_MS = 50;
const CONNECT_TIMEOUT_MS = 2000;
/** A start can wait: on a machine where everything starts at once, even a good PostgreSQL takes its time. */
const START_TIMEOUT_MS = 10_000;

/**
 * A few connections kept for one purpose, one statement at a time each. A connection whose answer is late is
 * destroyed: an answer that still arrives on it is ignored.
 */
export class ReservedConnections {
  /** Open or being opened. */
  private readonly clients = new Set<PrimaryClient>();
  private readonly idle: PrimaryClient[] = [];
  private lastFailureAt = -Infinity;
  private lastFailure: unknown;
  /** Whether a statement was given up, which PostgreSQL may still be at. */
  private hasAbandoned = false;
  /** How long one statement may take, with the connection that it may need first. */
  private readonly patienceMs: number;
  private readonly name: string;

  constructor(
    private readonly primary: Primary,
    private readonly purpose: string,
    private readonly maxConnections: number,
  ) {
    this.patienceMs = primary.config.patienceMs;
    this.name = `latchkey ${purpose}`;
  }

  instruments(): Instrument[] {
    return connectionInstruments(this.purpose, () => this.load());
  }

  /** Asks once or several times on one connection, which is not kept when `work` throws. */
  async run<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    try {
      return await this.attempt(work).catch((error: unknown) => {
        if (!isStalePlan(error)) throw error;
        // A migration has changed a table since the statement was prepared. New connections prepare it again.
        for (const idle of this.idle.splice(0)) this.destroy(idle);
        return this.attempt(work);
      });
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Opens the connections ahead of the first question. */
  async open(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.maxConnections }, () => this.connect(START_TIMEOUT_MS)));
    } catch (error) {
      throw storeError(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.end()));
  }

  private async attempt<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    let client: PrimaryClient | undefined;
    let isLate = false;
    const working = this.take().then((taken) => {
      client = taken;
      // One that comes too late for its question serves the next.
      return isLate ? undefined : work(asksOn(taken, this.primary.config.pooling));
    });
    try {
      const answer = await withTimeout(this.patienceMs, working);
      this.keep(client!);
      return answer as T;
    } catch (error) {
      isLate = true;
      this.hasAbandoned ||= client !== undefined;
      if (client) this.destroy(client);
      else working.then(() => this.keep(client!)).catch(() => undefined);
      throw error;
    }
  }

  /** While all connections are still being opened, an outage is reported at once instead of after a wait. */
  private async take(): Promise<PrimaryClient> {
    if (this.idle.length === 0) await this.connect();
    const client = this.idle.pop();
    if (!client) throw unavailable(new Error('the connection was lost at once'));
    return client;
  }

  /** Unless it has broken meanwhile. */
  private keep(client: PrimaryClient): void {
    if (this.clients.has(client)) this.idle.push(client);
  }

  private async connect(timeoutMs = Math.max(CONNECT_TIMEOUT_MS, this.patienceMs)): Promise<void> {
    const isTooSoon = performance.now() - this.lastFailureAt < RECONNECT_PAUSE_MS;
    if (isTooSoon) throw unavailable(this.lastFailure);
    if (this.clients.size >= this.maxConnections) throw unavailable(new Error('no connection is open yet'));
    const client = new PrimaryClient(this.primary, {
      application_name: this.name,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
    });
    this.clients.add(client);
    client.on('error', () => this.destroy(client));
    try {
      await client.connect();
      await withTimeout(timeoutMs, this.setUp(client));
      this.idle.push(client);
    } catch (error) {
      this.lastFailureAt = performance.now();
      this.lastFailure = error;
      this.destroy(client);
      throw error;
    }
  }

  private async setUp(client: PrimaryClient): Promise<void> {
    await client.setUp();
    if (!this.hasAbandoned) return;
    this.hasAbandoned = false;
    // Where the role may not end its own sessions, they stay.
    await endAbandonedWaits(client, this.name, this.patienceMs).catch(() => undefined);
  }

  private destroy(client: PrimaryClient): void {
    client.drop();
    this.clients.delete(client);
    const index = this.idle.indexOf(client);
    if (index >= 0) this.idle.splice(index, 1);
  }

  /** No call waits for a connection here: there are as many as are asked for at once. */
  private load(): ConnectionLoad {
    const idle = this.idle.length;
    return { used: this.clients.size - idle, idle, most: this.maxConnections, waiting: 0 };
  }
}

/** PostgreSQL's "cached plan must not change result type", which it reports before anything is done. */
function isStalePlan(error: unknown): boolean {
  return (error as { code?: unknown }).code === '0A000';
}
