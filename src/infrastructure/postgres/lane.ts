import pg from 'pg';
import { storeError, unavailable } from './store-error.js';

const RECONNECT_PAUSE_MS = 50;

/** A prepared statement, parsed once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Connections kept for one purpose, one statement at a time each. A connection whose answer is late is destroyed: what
 * might still arrive on it answers nobody.
 */
export class Lane {
  private idle: pg.Client[] = [];
  private lastFailureAt = -Infinity;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly purpose: string,
  ) {}

  /** @param deadline milliseconds on the clock of performance.now */
  async query<Row extends pg.QueryResultRow>(
    statement: Statement,
    values: unknown[],
    deadline: number,
  ): Promise<Row[]> {
    let client: pg.Client | undefined;
    let isLate = false;
    const work = async () => {
      client = this.idle.pop() ?? (await this.connect());
      if (isLate) throw unavailable();
      const { rows } = await client.query<Row>({ ...statement, values });
      return rows;
    };
    try {
      const rows = await before(deadline, work());
      if (this.closed) void client!.end();
      else this.idle.push(client!);
      return rows;
    } catch (error) {
      isLate = true;
      if (client) destroy(client);
      throw storeError(error);
    }
  }

  /** Opens the connections ahead of the first question. */
  async warm(connections: number): Promise<void> {
    this.idle.push(...(await Promise.all(Array.from({ length: connections }, () => this.connect()))));
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.idle.splice(0).map((client) => client.end()));
  }

  private async connect(): Promise<pg.Client> {
    if (performance.now() - this.lastFailureAt < RECONNECT_PAUSE_MS) throw unavailable();
    const client = new pg.Client({
      connectionString: this.url,
      application_name: `latchkey ${this.purpose}`,
      connectionTimeoutMillis: 2000,
      keepAlive: true,
    });
    client.on('error', () => this.forget(client));
    try {
      await client.connect();
      return client;
    } catch (error) {
      this.lastFailureAt = performance.now();
      destroy(client);
      throw error;
    }
  }

  private forget(client: pg.Client): void {
    this.idle = this.idle.filter((other) => other !== client);
  }
}

function destroy(client: pg.Client): void {
  // pg offers no way to drop a connection without waiting for the server's goodbye.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
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
