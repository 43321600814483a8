import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

type Packets = 'requests' | 'answers';
/** When a packet may go on; undefined: at once. */
type Arrival = Promise<unknown> | undefined;

/** A line to one of our servers. It delays every packet in both directions, or holds packets until `release`. */
export class SlowLine {
  /** Packets in transit keep their old delay. */
  delayMs = 0;
  /** All that were opened. */
  connections = 0;
  /** The packets that are held now. */
  heldPackets = 0;
  private holding:
    | { readonly held: readonly Packets[]; readonly over: Promise<void>; readonly end: () => void }
    | undefined;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly server: Server) {}

  static async to<Line extends SlowLine>(this: new (server: Server) => Line, url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const line = new this(server);
    server.on('connection', (near) => {
      line.connections += 1;
      const far = connect(Number(port), hostname);
      line.carry(near, far, line.requests());
      line.carry(far, near, () => line.arrival('answers'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  /** The URL of the server behind it, through this line. */
  instead(url: string): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(url), { port: String(port) }).href;
  }

  /** Holds packets from now on, while connections stay open: all of them, or only the given directions. */
  hold(...held: readonly Packets[]): void {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.holding ??= { held: held.length > 0 ? held : ['requests', 'answers'], over, end };
  }

  /** Delivers what was held, in order. */
  release(): void {
    this.holding?.end();
    this.holding = undefined;
  }

  /** Drops what comes over the open connections without closing them, as a firewall does that has forgotten them. */
  forget(): void {
    for (const socket of this.sockets) socket.removeAllListeners('data').resume();
  }

  close(): void {
    this.release();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** What decides about the requests of a new connection. */
  protected requests(): (packet: Buffer) => Arrival {
    return () => this.arrival('requests');
  }

  protected arrival(packets: Packets): Arrival {
    if (this.holding?.held.includes(packets)) {
      this.heldPackets += 1;
      return this.holding.over.then(() => (this.heldPackets -= 1));
    }
    return this.delayMs > 0 ? pause(this.delayMs) : undefined;
  }

  private carry(from: Socket, to: Socket, arrivalOf: (packet: Buffer) => Arrival): void {
    this.sockets.add(from);
    let order = Promise.resolve();
    from.setNoDelay(true).on('data', (packet: Buffer) => {
      const arrival = arrivalOf(packet);
      order = order.then(() => arrival).then(() => void to.write(packet));
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
