import { Socket } from 'node:net';
import pg from 'pg';
import { KEPT_ALIVE, SERVER_STATE, type ServerState } from './server-state.js';

/** From the end of one look to the start of the next. */
const LOOK_EVERY_MS = 250;
const ANSWER_TIMEOUT_MS = 1000;
/** A connection over a long distance takes some seven round trips. */
const CONNECT_TIMEOUT_MS = 2000;

/** A host's timeline if it accepts writes, otherwise why it is not the primary. */
export type Sighting = { readonly timeline: number } | { readonly why: string };

/** Polls one of the hosts in DATABASE_URL, over a connection that stays open. */
export class HostWatch {
  private readonly pool: pg.Pool;
  /** The socket of the connection, also while it opens. */
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    url: string,
    private readonly report: (sighting: Sighting) => void,
  ) {
    this.pool = new pg.Pool({
      connectionString: url,
      stream: () => (this.socket = new Socket()),
      application_name: 'latchkey watch',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      ...KEPT_ALIVE,
    });
    // The next look notices that the connection broke.
    this.pool.on('error', () => undefined);
  }

  start(): void {
    const look = async () => {
      const sighting = await this.look().catch((error: Error & { code?: string }) => {
        // A login that fails on our side leaves its connection open.
        this.socket?.destroy();
        return { why: error.message || (error.code ?? 'no answer') };
      });
      if (this.isStopped) return;
      this.report(sighting);
      this.timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
  }

  /** Does not wait for the server, which may not answer. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.socket?.destroy();
  }

  private async look(): Promise<Sighting> {
    const { rows } = await this.pool.query<ServerState>(SERVER_STATE);
    const { standby, timeline } = rows[0]!;
    return standby || typeof timeline !== 'number' ? { why: 'it is in recovery' } : { timeline };
  }
}
