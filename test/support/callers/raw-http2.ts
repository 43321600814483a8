import { connect } from 'node:net';

/** RFC 9113, 3.4 and 4.1 */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HEADER_BYTES = 9;
const [DATA, HEADERS, RESET, SETTINGS, GOAWAY] = [0x0, 0x1, 0x3, 0x4, 0x7] as const;
const [END_STREAM, ACK, END_HEADERS] = [0x1, 0x1, 0x4] as const;

/**
 * Sends one request over HTTP/2 without TLS, byte by byte (Latin-1), with fields that no correct client sends: upper case,
 * connection headers, line ends, two paths. Answers the body, or undefined if the proxy sent none: it reset the stream or
 * closed the connection.
 */
export function rawHttp2(
  { url }: { readonly url: string },
  fields: readonly (readonly [name: string, value: string])[],
): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(PREFACE);
      socket.write(frame(SETTINGS, 0, 0));
      socket.write(frame(HEADERS, END_HEADERS | END_STREAM, 1, Buffer.concat(fields.map(literal))));
    });
    let unread = Buffer.alloc(0);
    let body: string | undefined;
    socket.on('error', reject);
    socket.on('close', () => resolve(body));
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= HEADER_BYTES && unread.length >= HEADER_BYTES + unread.readUIntBE(0, 3)) {
        const [length, type, flags] = [unread.readUIntBE(0, 3), unread[3], unread[4]!];
        const content = unread.subarray(HEADER_BYTES, HEADER_BYTES + length);
        unread = unread.subarray(HEADER_BYTES + length);
        if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
        if (type === DATA) body = (body ?? '') + content.toString();
        const isOver = (type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0;
        if (isOver || type === RESET || type === GOAWAY) socket.end();
      }
    });
  });
}

function frame(type: number, flags: number, stream: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

/** RFC 7541, 6.2.2: a field with a new name, in no table and without Huffman coding. */
function literal([name, value]: readonly [string, string]): Buffer {
  return Buffer.concat([Buffer.of(0), ...[name, value].map(text)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  // A length of 127 and more takes further bytes of seven bits each.
  const length = [Math.min(bytes.length, 127)];
  for (let rest = bytes.length - 127; rest >= 0; rest = rest >= 128 ? rest >> 7 : -1) {
    length.push(rest >= 128 ? (rest & 127) | 128 : rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
