import type { EnvReader } from './env-reader.js';
import { isLoopbackUrl, isPrivateUrl, urlHost } from './network-config.js';

/** The URL at which browsers reach us, without a trailing slash. */
export function readPublicUrl(
  reader: EnvReader,
  demo: boolean,
  { host, httpPort }: { host: string; httpPort: number },
): string {
  const own = `http://${urlHost(host)}:${httpPort}`;
  const url = reader.url('PUBLIC_URL', ['http:', 'https:']);
  if (url === undefined) {
    if (!demo) reader.warn('PUBLIC_URL', `is missing: browsers may sign in only at ${own}`);
    return own;
  }
  if (URL.canParse(url)) checkPublicUrl(reader, demo, url);
  return url.replace(/\/+$/, '');
}

function checkPublicUrl(reader: EnvReader, demo: boolean, url: string): void {
  const { protocol, pathname, search, hash, username } = new URL(url);
  if (/[^/]/.test(pathname) || search || hash || username) {
    reader.wrong('PUBLIC_URL', 'must have nothing after its host and port: Latchkey answers at the root of a host');
  }
  if (demo || protocol !== 'http:' || isLoopbackUrl(url)) return;
  const danger = 'passwords, session cookies and new keys would cross the network unencrypted';
  if (isPrivateUrl(url)) reader.warn('PUBLIC_URL', `is http: ${danger}`);
  else reader.wrong('PUBLIC_URL', `must start with https:// where its host is public: ${danger}`);
}
