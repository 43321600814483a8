import { Socket } from 'node:net';
import pg from 'pg';
import { dropWhenLate } from './late-answers.js';
import type { Primary, WatchedConnection } from './primary.js';
import { knowsNoTimelines, SERVER_STATE, type ServerState, WITHOUT_TIMELINES } from './server-state.js';

/**
 * Set once on each connection that is a session, whatever the server's default is, and not with every transaction. Warnings
 * are to be told: one says that a commit did not wait.
 */
const SET_UP = `
  set_config('default_transaction_isolation', 'read committed', false), set_config('client_min_messages', 'warning', false)`;

/** A connection to the primary. */
export class PrimaryClient extends pg.Client implements WatchedConnection {
  isDropped = false;
  timeline: number | undefined;
  private readonly socket: Socket;

  constructor(
    private readonly primary: Primary,
    config: pg.ClientConfig,
  ) {
    const socket = new Socket();
    super({ ...config, connectionString: primary.url, stream: () => socket });
    this.socket = socket.once('close', primary.hold(this));
    dropWhenLate(this);
    this.on('notice', (notice) => {
      // An administrator has ended the wait for the standby, and PostgreSQL goes on to say that it has committed.
      if (notice.routine === 'SyncRepWaitForLSN') this.drop();
    });
  }

  /** To be called once it is connected. Throws when it does not lead to the primary. */
  async setUp(): Promise<void> {
    let knowsTimelines = true;
    const state = await this.askState(SERVER_STATE).catch((error: unknown) => {
      if (!knowsNoTimelines(error)) throw error;
      knowsTimelines = false;
      return this.askState(WITHOUT_TIMELINES);
    });
    requirePrimary(this.primary, state);
    this.primary.knowsTimelines = knowsTimelines;
    this.timeline = state.timeline;
  }

  private async askState(text: string): Promise<ServerState> {
    const isSession = this.primary.config.pooling === 'session';
    const { rows } = await this.query<ServerState>(isSession ? `${text}, ${SET_UP}` : text);
    return rows[0]!;
  }

  /** Without waiting for the server to say goodbye: pg offers no way to drop a connection, so its socket is ours. */
  drop(): void {
    this.isDropped = true;
    this.socket.destroy();
  }
}

/** Throws when the server that says this of itself is not the primary. Where it was not asked, its timeline is undefined. */
export function requirePrimary(
  primary: Primary,
  { standby, timeline }: { readonly standby: boolean; readonly timeline?: number | null },
): void {
  // A server in recovery, which is on no timeline of its own, may lag behind an answered revoke.
  if (standby || timeline === null) throw new Error('PostgreSQL is in recovery; Latchkey needs the primary');
  if (timeline !== undefined) primary.admit(timeline);
}

/**
 * What TypeORM's pool makes its connections of.
 * @param require asks a new connection for more
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
