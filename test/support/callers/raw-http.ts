import { connect } from 'node:net';
import type { Service } from '../processes/service.js';

interface RawAnswer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: string;
}

/**
 * Sends a request byte by byte (Latin-1), with content that no correct client sends: duplicate headers, control bytes.
 */
export function rawRequest(
  service: Pick<Service, 'url'>,
  requestLine: string,
  headers: string[],
  body = '',
  host = new URL(service.url).host,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(service.url);
  const head = [`${requestLine} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(head + body, 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const split = text.indexOf('\r\n\r\n');
      resolve({ status: Number(text.slice(9, 12)), head: text.slice(0, split), body: text.slice(split + 4) });
    });
  });
}
