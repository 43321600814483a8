import { type Server, type Socket, connect, createServer } from 'node:net';
import { portOf } from './raw-http.js';

/** A TCP relay. Its open connections can lose everything that is sent, like a pulled cable, or break. */
export class TcpRelay {
  private readonly pairs: [Socket, Socket][] = [];
  private readonly server: Server;
  private isCut = false;
  private isSilent = false;
  private readonly silenced: Socket[] = [];

  private constructor(port: number) {
    this.server = createServer((near) => {
      if (this.isCut) return void near.destroy();
      if (this.isSilent) return void this.silenced.push(near.on('error', () => undefined));
      const far = connect(port, '127.0.0.1');
      this.pairs.push([near, far]);
      near.on('error', () => far.destroy()).pipe(far);
      far.on('error', () => near.destroy()).pipe(near);
      // When one side has closed, nothing reads from the other, so its end would not be noticed.
      far.on('close', () => near.resume());
      near.on('close', () => far.resume());
    });
  }

  static async to(port: number): Promise<TcpRelay> {
    const relay = new TcpRelay(port);
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get target(): string {
    return `127.0.0.1:${portOf(this.server)}`;
  }

  get openConnections(): number {
    return this.pairs.filter(([near]) => !near.destroyed).length;
  }

  /** Whether a connection to the server, by its address there, comes through this relay. */
  carries(peer: string): boolean {
    return this.pairs.some(([near, far]) => !near.destroyed && peer.endsWith(`:${far.localPort}`));
  }

  get silencedConnections(): number {
    return this.silenced.length;
  }

  /** Until `mend` new connections end at once. */
  cut(): void {
    this.isCut = true;
    for (const [near, far] of this.pairs) {
      near.unpipe().resume();
      far.unpipe().resume();
    }
  }

  /** Like `cut`, but until `mend` new connections are taken, and nothing is forwarded. */
  silence(): void {
    this.cut();
    this.isCut = false;
    this.isSilent = true;
  }

  /** New connections work again; the cut ones stay cut. */
  mend(): void {
    this.isCut = this.isSilent = false;
  }

  /** New connections are relayed. */
  breakAll(): void {
    for (const sockets of this.pairs.splice(0)) for (const socket of sockets) socket.destroy();
  }

  close(): void {
    this.breakAll();
    for (const socket of this.silenced) socket.destroy();
    this.server.close();
  }
}
