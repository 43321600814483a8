import pg from 'pg';
import { storeError, unavailable } from './store-error.js';

const RECONNECT_PAUSE_MS = 50;
const CONNECT_TIMEOUT_MS = 1000;

/** A prepared statement, parsed once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * A few connections kept for one purpose, one statement at a time each. A connection whose answer is late is
 * destroyed: what might still arrive on it answers nobody.
 */
export class Lane {
  /** Open or being opened. */
  private readonly clients = new Set<pg.Client>();
  private readonly idle: pg.Client[] = [];
  private lastFailureAt = -Infinity;

  constructor(
    private readonly url: string,
    private readonly purpose: string,
    private readonly maxConnections: number,
  ) {}

  /** @param deadline milliseconds on the clock of performance.now */
  async query<Row extends pg.QueryResultRow>(
    statement: Statement,
    values: unknown[],
    deadline: number,
  ): Promise<Row[]> {
    const taking = this.take();
    let client: pg.Client | undefined;
    try {
      client = await before(deadline, taking);
      const { rows } = await before(deadline, client.query<Row>({ ...statement, values }));
      this.keep(client);
      return rows;
    } catch (error) {
      if (client) this.destroy(client);
      // One that comes too late for its question serves the next.
      else taking.then((late) => this.keep(late)).catch(() => undefined);
      throw storeError(error);
    }
  }

  /** Opens the connections ahead of the first question. */
  async open(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.maxConnections }, () => this.connect()));
    } catch (error) {
      throw storeError(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.end()));
  }

  /** While all connections are still being opened, an outage is told at once instead of after a wait. */
  private async take(): Promise<pg.Client> {
    if (this.idle.length === 0) await this.connect();
    const client = this.idle.pop();
    if (!client) throw unavailable();
    return client;
  }

  /** Unless it has broken meanwhile. */
  private keep(client: pg.Client): void {
    if (this.clients.has(client)) this.idle.push(client);
  }

  private async connect(): Promise<void> {
    const isTooSoon = performance.now() - this.lastFailureAt < RECONNECT_PAUSE_MS;
    if (isTooSoon || this.clients.size >= this.maxConnections) throw unavailable();
    const client = new pg.Client({
      connectionString: this.url,
      application_name: `latchkey ${this.purpose}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    this.clients.add(client);
    client.on('error', () => this.destroy(client));
    try {
      await client.connect();
      this.idle.push(client);
    } catch (error) {
      this.lastFailureAt = performance.now();
      this.destroy(client);
      throw error;
    }
  }

  private destroy(client: pg.Client): void {
    this.clients.delete(client);
    const index = this.idle.indexOf(client);
    if (index >= 0) this.idle.splice(index, 1);
    // pg offers no way to drop a connection without waiting for the server's goodbye.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** Rejects at the deadline, unless the answer has arrived and only a busy event loop kept it from being read. */
function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(unavailable())), Math.max(0, deadline - performance.now()));
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
