import { Socket } from 'node:net';
import pg from 'pg';
import { withTimeout } from '../../batching/timeout.js';
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
  private client: pg.Client | undefined;
  /** Belongs to the client, or to one that is still connecting. */
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly url: string,
    private readonly report: (sighting: Sighting) => void,
  ) {}

  start(): void {
    const look = async () => {
      const sighting = await this.look().catch((error: Error & { code?: string }) => {
        this.drop();
        return { why: error.message || (error.code ?? 'no answer') };
      });
      if (this.isStopped) return;
      this.report(sighting);
      this.timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.drop();
  }

  private async look(): Promise<Sighting> {
    const client = (this.client ??= await this.connect());
    const { rows } = await withTimeout(ANSWER_TIMEOUT_MS, client.query<ServerState>(SERVER_STATE));
    const { standby, timeline } = rows[0]!;
    return standby || typeof timeline !== 'number' ? { why: 'it is in recovery' } : { timeline };
  }

  private async connect(): Promise<pg.Client> {
    const socket = new Socket();
    this.socket = socket;
    const client = new pg.Client({
      connectionString: this.url,
      stream: () => socket,
      application_name: 'latchkey watch',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...KEPT_ALIVE,
    });
    // The next look notices that the connection broke.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Does not wait for the server, which may not answer. */
  private drop(): void {
    this.client = undefined;
    this.socket?.destroy();
  }
}
