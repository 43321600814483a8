import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A line to one of our servers that delays every packet in both directions, or holds all of them until it is told. */
export class SlowLine {
  /** Packets that are under way keep their old delay. */
  delayMs = 0;
  /** Packets that are held now. */
  heldPackets = 0;
  private holding: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async to(url: string): Promise<SlowLine> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const line = new SlowLine(server);
    server.on('connection', (near) => {
      const far = connect(Number(port), hostname);
      line.carry(near, far);
      line.carry(far, near);
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

  /** From now on nothing arrives, while connections stay open. */
  hold(): void {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.holding ??= { over, end };
  }

  /** What is held arrives, in its order. */
  release(): void {
    this.holding?.end();
    this.holding = undefined;
  }

  close(): void {
    this.release();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private carry(from: Socket, to: Socket): void {
    this.sockets.add(from);
    let order = Promise.resolve();
    from.setNoDelay(true).on('data', (chunk) => {
      const arrival = this.holding ? this.held(this.holding.over) : this.delayMs > 0 ? pause(this.delayMs) : undefined;
      order = order.then(() => arrival).then(() => void to.write(chunk));
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }

  private async held(over: Promise<void>): Promise<void> {
    this.heldPackets += 1;
    await over;
    this.heldPackets -= 1;
  }
}
