import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { connectionError, unavailable } from './errors.js';
import type { Primary, WatchedConnection } from './primary.js';
import {
  KEPT_ALIVE,
  knowsNoTimelines,
  READABLE,
  SERVER_STATE,
  type ServerState,
  setting,
  WITHOUT_TIMELINES,
} from './server-state.js';
import { TextRead, type TextStatement } from './text-read.js';
import { withTimeout } from '../../batching/timeout.js';

/** Set once on each session. */
const SET_UP = `set_config('default_transaction_isolation', 'read committed', false), ${setting(READABLE, 'session')}`;

export interface ClientConfig extends pg.ClientConfig {
  /** For one statement. Not pg's `query_timeout`, which leaves a late statement running before the next call's. */
  readonly answerTimeoutMs?: number | undefined;
}

/** libpq's file, in which pg looks for a password. A user without a name, as in some containers, has no home. */
function hasPasswordFile(): boolean {
  const { PGPASSFILE, HOME } = process.env;
  const file = PGPASSFILE ?? (HOME && join(HOME, '.pgpass'));
  return file !== undefined && existsSync(file);
}

export class PrimaryClient extends pg.Client implements WatchedConnection {
  timeline: number | undefined;
  isDropped = false;
  /** When the last answer came, by performance.now(). */
  answeredAt = performance.now();
  /** Whether pg has reported that the connection ended. */
  private hasEnded = false;
  private readonly socket: Socket;
  /** Names of the statements that this session knows. */
  private readonly prepared = new Set<string>();

  constructor(
    private readonly primary: Primary,
    { answerTimeoutMs, ...config }: ClientConfig,
  ) {
    const socket = new Socket();
    super({ ...config, ...KEPT_ALIVE, connectionString: primary.url, stream: () => socket });
    if (this.password === null && !hasPasswordFile()) Object.assign(this, { password: () => this.lackPassword() });
    this.socket = socket.once('close', primary.hold(this));
    // Without a listener, an error event would end the process. The statements fail too, and the pool removes it.
    this.on('error', () => (this.hasEnded = true));
    this.on('end', () => (this.hasEnded = true));
    this.on('notice', (notice) => {
      // An administrator cancelled the wait for the standby. PostgreSQL reports the commit as done all the same.
      if (notice.routine === 'SyncRepWaitForLSN') this.drop();
    });
    const send = this.query.bind(this) as (...statement: unknown[]) => unknown;
    this.query = ((...statement: unknown[]) => {
      const answer = send(...statement);
      return answer instanceof Promise ? this.answered(answer, answerTimeoutMs) : answer;
    }) as typeof this.query;
  }

  /** Call it once after connecting. Throws when the connection does not lead to the primary. */
  async setUp(): Promise<void> {
    let knowsTimelines = true;
    const state = await this.readState(SERVER_STATE).catch((error: unknown) => {
      if (!knowsNoTimelines(error)) throw error;
      knowsTimelines = false;
      return this.readState(WITHOUT_TIMELINES);
    });
    this.requirePrimary(state);
    this.primary.knowsTimelines = knowsTimelines;
  }

  /** Throws unless the server that reported this state is the primary. */
  requirePrimary(state: ServerState): void {
    this.primary.require(state);
    this.timeline = state.timeline!;
  }

  /** Rows of texts, at a fraction of the cost of `query`. After an error, the connection must be dropped. */
  readTexts<Row>(statement: TextStatement, values: string[]): Promise<readonly Row[]> {
    const { name } = statement;
    const { rows } = this.query(new TextRead<Row>(statement, values, name !== undefined && this.prepared.has(name)));
    if (name !== undefined) this.prepared.add(name);
    return this.answered(rows, undefined);
  }

  /** Destroys the socket without waiting for the server, because pg offers no way to drop a connection. */
  drop(): void {
    this.isDropped = true;
    this.socket.destroy();
  }

  /** pg calls this when PostgreSQL asks for a password. Its own error would not say what is missing, and it stays connected. */
  private lackPassword(): never {
    setImmediate(() => this.drop());
    throw new Error('it has no password, and PostgreSQL asks for one');
  }

  /** Drops the connection of a late statement, which would otherwise still run before the next call's statement. */
  private async answered<T>(answer: Promise<T>, timeoutMs: number | undefined): Promise<T> {
    try {
      const result = await (timeoutMs === undefined ? answer : withTimeout(timeoutMs, answer, () => this.drop()));
      this.answeredAt = performance.now();
      if (!this.isDropped) return result;
    } catch (error) {
      throw this.hasEnded || this.isDropped ? connectionError(error) : error;
    }
    // The answer had already arrived when the connection was dropped, so it must not be used.
    throw unavailable(new Error('the connection was ended'));
  }

  private async readState(text: string): Promise<ServerState> {
    const isSession = this.primary.config.pooling === 'session';
    const { rows } = await this.query<ServerState>(isSession ? `${text}, ${SET_UP}` : text);
    return rows[0]!;
  }
}
