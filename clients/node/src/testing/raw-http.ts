import { type AddressInfo, type Server as NetServer, connect } from 'node:net';
import { type RequestListener, type Server, createServer } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Serves on a free port of the loopback interface. */
export async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/**
 * Sends the bytes of a request exactly as given (latin1) and reads to the end. HTTP clients would correct them first.
 */
export function sendRaw(server: Server, requestLine: string, headers: readonly string[] = [], body = '') {
  const lines = [`${requestLine} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
  if (body) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return new Promise<RawAnswer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(portOf(server), '127.0.0.1');
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))));
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  });
}

function parse(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
