import { Socket } from 'node:net';
import pg from 'pg';
import { connectionError, unavailable } from './errors.js';
import type { Primary, WatchedConnection } from './primary.js';
import { knowsNoTimelines, SERVER_STATE, type ServerState, WITHOUT_TIMELINES } from './server-state.js';
import { withTimeout } from './timeout.js';

/**
 * Set once on each connection that is a session, whatever the server's default is, and not with every transaction. Warnings
 * have to arrive: one says that a commit did not wait.
 */
const SET_UP = `
  set_config('default_transaction_isolation', 'read committed', false), set_config('client_min_messages', 'warning', false)`;

export interface ClientConfig extends pg.ClientConfig {
  /** How long one statement may take; instead of pg's `query_timeout`, which leaves a late one to the next call. */
  readonly answerTimeoutMs?: number | undefined;
}

/** A connection to the primary. */
export class PrimaryClient extends pg.Client implements WatchedConnection {
  timeline: number | undefined;
  isDropped = false;
  /** Whether pg has reported its end. */
  private hasEnded = false;
  private readonly socket: Socket;

  constructor(
    private readonly primary: Primary,
    { answerTimeoutMs, ...config }: ClientConfig,
  ) {
    const socket = new Socket();
    super({ ...config, connectionString: primary.url, stream: () => socket });
    this.socket = socket.once('close', primary.hold(this));
    // An error without a listener ends the process. Its statements fail too, and pools remove it.
    this.on('error', () => (this.hasEnded = true));
    this.on('end', () => (this.hasEnded = true));
    this.on('notice', (notice) => {
      // An administrator has ended the wait for the standby, and PostgreSQL nevertheless reports a commit.
      if (notice.routine === 'SyncRepWaitForLSN') this.drop();
    });
    const send = this.query.bind(this) as (...statement: unknown[]) => unknown;
    this.query = ((...statement: unknown[]) => {
      const answer = send(...statement);
      return answer instanceof Promise ? this.answered(answer, answerTimeoutMs) : answer;
    }) as typeof this.query;
  }

  /** To be called once it is connected. Throws when it does not lead to the primary. */
  async setUp(): Promise<void> {
    let knowsTimelines = true;
    const state = await this.readState(SERVER_STATE).catch((error: unknown) => {
      if (!knowsNoTimelines(error)) throw error;
      knowsTimelines = false;
      return this.readState(WITHOUT_TIMELINES);
    });
    this.primary.require(state);
    this.primary.knowsTimelines = knowsTimelines;
    this.timeline = state.timeline!;
  }

  /** Without waiting for the server to say goodbye: pg offers no way to drop a connection, so its socket is ours. */
  drop(): void {
    this.isDropped = true;
    this.socket.destroy();
  }

  /**
   * A late statement takes its connection with it: otherwise it would be carried out in the end, with its transaction still
   * open, in front of the next call's.
   */
  private async answered<T>(answer: Promise<T>, timeoutMs: number | undefined): Promise<T> {
    try {
      const result = await (timeoutMs === undefined ? answer : withTimeout(timeoutMs, answer, () => this.drop()));
      if (!this.isDropped) return result;
    } catch (error) {
      throw this.hasEnded || this.isDropped ? connectionError(error) : error;
    }
    // Its bytes were here already, behind what the connection was dropped for.
    throw unavailable(new Error('the connection was ended'));
  }

  private async readState(text: string): Promise<ServerState> {
    const isSession = this.primary.config.pooling === 'session';
    const { rows } = await this.query<ServerState>(isSession ? `${text}, ${SET_UP}` : text);
    return rows[0]!;
  }
}
