import { connect } from 'node:net';
import type { Proxy } from './recipe.js';

interface Upgraded {
  readonly status: number;
  /** The answer in the tunnel; undefined if none was opened. */
  readonly heard: string | undefined;
}

/** Requests another protocol, byte by byte, and sends a text in it if the upgrade is granted. */
export async function requestUpgrade(
  { url }: Pick<Proxy, 'url'>,
  line: string,
  headers: readonly string[],
  said: string,
): Promise<Upgraded> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([`${line} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n'), 'latin1');
  let text = '';
  let isSent = false;
  try {
    for await (const chunk of socket) {
      text += String(chunk);
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) continue;
      const status = Number(text.slice('HTTP/1.1 '.length).slice(0, 3));
      if (status !== 101) return { status, heard: undefined };
      if (!isSent) socket.write(said);
      isSent = true;
      const heard = text.slice(end + 4);
      if (heard.length >= said.length) return { status, heard };
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`the connection ended with ${JSON.stringify(text)}`);
}
