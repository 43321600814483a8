import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends requests over HTTP without waiting, and reads no answer. */
export class SilentReader {
  private readonly socket: Socket;

  constructor(url: string, requests: number) {
    const { hostname, port } = new URL(url);
    const request = `GET /openapi.json HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    this.socket = connect(Number(port), hostname, () => this.socket.write(request.repeat(requests)));
    this.socket.pause().on('error', () => undefined);
  }

  /** Reads the answers that were sent until the service closes the connection, and counts them. */
  async answersUntilClosed(): Promise<number> {
    let text = '';
    this.socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).resume();
    await once(this.socket, 'close');
    return text.split('HTTP/1.1 200').length - 1;
  }
}
