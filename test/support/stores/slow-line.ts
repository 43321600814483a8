import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

type Packets = 'requests' | 'answers';

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

  private constructor(private readonly server: Server) {}

  static async to(url: string): Promise<SlowLine> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const line = new SlowLine(server);
    server.on('connection', (near) => {
      line.connections += 1;
      const far = connect(Number(port), hostname);
      line.carry('requests', near, far);
      line.carry('answers', far, near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  /** The URL of the server behind it, through this line. */
  instead(url: string): string {
    const { port } = this.server.address() as AddressInfo;
    const changed = new URL(url);
    changed.port = String(port);
    return changed.href;
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

  private carry(packets: Packets, from: Socket, to: Socket): void {
    this.sockets.add(from);
    let order = Promise.resolve();
    from.setNoDelay(true).on('data', (chunk) => {
      const arrival = this.arrival(packets);
      order = order.then(() => arrival).then(() => void to.write(chunk));
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }

  private arrival(packets: Packets): Promise<void> | undefined {
    if (this.holding?.held.includes(packets)) return this.held(this.holding.over);
    return this.delayMs > 0 ? pause(this.delayMs) : undefined;
  }

  private async held(over: Promise<void>): Promise<void> {
    this.heldPackets += 1;
    await over;
    this.heldPackets -= 1;
  }
}
