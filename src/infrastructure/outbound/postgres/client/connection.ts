import { Socket } from 'node:net';
import pg from 'pg';
import type { Primary, WatchedConnection } from './primary.js';
import { knowsNoTimelines, SERVER_STATE, type ServerState, WITHOUT_TIMELINES } from './server-state.js';

/**
 * Set once on each connection that is a session, whatever the server's default is, and not with every transaction. Warnings
 * have to arrive: one says that a commit did not wait.
 */
const SET_UP = `
  set_config('default_transaction_isolation', 'read committed', false), set_config('client_min_messages', 'warning', false)`;

/** A connection to the primary. */
export class PrimaryClient extends pg.Client implements WatchedConnection {
  timeline: number | undefined;
  private isDropped = false;
  private readonly socket: Socket;

  constructor(
    private readonly primary: Primary,
    config: pg.ClientConfig,
  ) {
    const socket = new Socket();
    super({ ...config, connectionString: primary.url, stream: () => socket });
    this.socket = socket.once('close', primary.hold(this));
    this.dropWhenLate();
    this.on('notice', (notice) => {
      // An administrator has ended the wait for the standby, and PostgreSQL goes on to say that it has committed.
      if (notice.routine === 'SyncRepWaitForLSN') this.drop();
    });
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

  private async readState(text: string): Promise<ServerState> {
    const isSession = this.primary.config.pooling === 'session';
    const { rows } = await this.query<ServerState>(isSession ? `${text}, ${SET_UP}` : text);
    return rows[0]!;
  }

  /**
   * From now on no answer counts that comes on a dropped connection: one whose bytes are here already would still be passed
   * on. And a statement whose answer is late takes its connection with it: pg gives up waiting and no more, so the statement
   * would be carried out in the end, with its transaction still open, under the next call's.
   */
  private dropWhenLate(): void {
    const ask = this.query.bind(this) as (...question: unknown[]) => unknown;
    const refuseIfDropped = (answer: unknown) => {
      if (this.isDropped) throw new Error('the connection was ended');
      return answer;
    };
    const noticeIfLate = (error: unknown) => {
      if (isLate(error)) this.drop();
      throw error;
    };
    this.query = ((...question: unknown[]) => {
      const answer = ask(...question);
      return answer instanceof Promise ? answer.then(refuseIfDropped, noticeIfLate) : answer;
    }) as typeof this.query;
  }
}

/** What pg says when its `query_timeout` has passed. */
function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * What TypeORM's pool makes its connections of.
 * @param require checks more on a new connection
 */
export function pooledClients(primary: Primary, require: (client: PrimaryClient) => Promise<void>) {
  return {
    Client: class extends PrimaryClient {
      constructor(config: pg.ClientConfig) {
        super(primary, config);
      }
    },
    /** pg-pool's hook for a new connection. */
    verify(client: PrimaryClient, done: (error?: Error) => void): void {
      // The pool has just stopped listening, and TypeORM does not listen yet: an error without a listener ends the process.
      client.on('error', () => undefined);
      client
        .setUp()
        .then(() => require(client))
        .then(() => done(), done);
    },
  };
}
