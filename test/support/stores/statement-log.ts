import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Sent {
  /** The connection's application_name. */
  readonly by: string;
  /** The values of a prepared statement, or the text of a simple one. */
  readonly text: string;
}

/** A line to PostgreSQL, without TLS, that notes each statement that is sent, and on which connection, and may hold some. */
export class StatementLog {
  readonly sent: Sent[] = [];
  private readonly sockets = new Set<Socket>();
  private held: { readonly by: string; readonly release: (() => void)[] } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {}

  static async before(url: string): Promise<StatementLog> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const log = new StatementLog(server, url);
    server.on('connection', (near) => {
      const far = connect(Number(port), hostname);
      const read = log.reader();
      near.on('data', (bytes: Buffer) => {
        const by = read(bytes);
        if (by === undefined || by !== log.held?.by) far.write(bytes);
        else log.held.release.push(() => far.write(bytes));
      });
      far.on('data', (bytes: Buffer) => near.write(bytes));
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        log.sockets.add(one.setNoDelay(true));
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return log;
  }

  /** The URL of PostgreSQL, through this line. */
  get instead(): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(this.url), { port: String(port) }).href;
  }

  /** Holds what connections with this application_name send, until `release`. */
  hold(by: string): void {
    this.held = { by, release: [] };
  }

  release(): void {
    const { held } = this;
    this.held = undefined;
    for (const release of held?.release ?? []) release();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Reads what a client sends (PostgreSQL's documentation, "Message Formats"): Startup, then typed messages. Returns the
   * connection's application_name, once it is known.
   */
  private reader(): (bytes: Buffer) => string | undefined {
    let unread = Buffer.alloc(0);
    let by: string | undefined;
    return (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (;;) {
        const head = by === undefined ? 0 : 1;
        const end = unread.length < head + 4 ? Infinity : head + unread.readInt32BE(head);
        if (end > unread.length) return by;
        const body = unread.toString('latin1', head + 4, end);
        const type = String.fromCharCode(unread[0]!);
        unread = unread.subarray(end);
        if (by === undefined) by = /application_name\0([^\0]*)/.exec(body)?.[1] ?? '';
        else if (type === 'B' || type === 'Q') this.sent.push({ by, text: body });
      }
    };
  }
}
