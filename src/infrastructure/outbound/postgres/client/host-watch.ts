import { Socket } from 'node:net';
import pg from 'pg';
import { withTimeout } from './timeout.js';
import { SERVER_STATE, type ServerState } from './server-state.js';

/** From the end of one look to the beginning of the next. */
const LOOK_EVERY_MS = 250;
const ANSWER_TIMEOUT_MS = 1000;
/** Over a long line a connection takes some seven round trips. */
const CONNECT_TIMEOUT_MS = 2000;

/** What a host says about itself: the timeline of a server that accepts writes, or why it is no primary. */
export type Sighting = { readonly timeline: number } | { readonly why: string };

/** Looks again and again at one of the hosts that DATABASE_URL names, over a connection that is kept. */
export class HostWatch {
  private client: pg.Client | undefined;
  /** Of the client, or of one that is being connected. */
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly url: string,
    private readonly tell: (sighting: Sighting) => void,
  ) {}

  start(): void {
    const look = async () => {
      const sighting = await this.look().catch((error: Error & { code?: string }) => {
        this.drop();
        return { why: error.message || (error.code ?? 'no answer') };
      });
      if (this.isStopped) return;
      this.tell(sighting);
      this.timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
  }

  async stop(): Promise<void> {
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
    });
    // What breaks is noticed by the next look.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Without waiting for the server, which may be silent. */
  private drop(): void {
    this.client = undefined;
    this.socket?.destroy();
  }
}
