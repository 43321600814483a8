import { BlockList, isIP } from 'node:net';

/** An entry of TRUSTED_PROXIES, which Express understands as it is. */
export function parseProxy(entry: string): string {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return entry;
  const [, ip = '', bits = '1'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(ip);
  if (family !== 0 && Number(bits) === 0) {
    throw new Error('must not be all addresses: each client could then claim any address. Name your proxies alone');
  }
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
    throw new Error('must be an IP address, a range such as 10.0.0.0/8, loopback, linklocal or uniquelocal');
  }
  return entry;
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** A loopback address has three spellings, and the browser uses the one that the person typed. */
export function ownOrigins(publicUrl: string, httpPort: number): string[] {
  if (!URL.canParse(publicUrl)) return [];
  const { origin, hostname } = new URL(publicUrl);
  if (!LOOPBACK_HOSTS.includes(hostname)) return [origin];
  return [...new Set([origin, ...LOOPBACK_HOSTS.map((host) => `http://${host}:${httpPort}`)])];
}

/** An entry of ALLOWED_ORIGINS, as browsers write it: only scheme, host and port, in lower case. */
export function parseOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw new Error('must read like https://app.example.com');
}

export function hasUser(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Whether the address reaches only this machine. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_HOSTS.includes(new URL(url).hostname);
}

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(network, bits, isIP(network) === 4 ? 'ipv4' : 'ipv6');
}
/** Names that are only known inside a network: a single word, or with an ending that is never used on the Internet. */
const PRIVATE_NAME = /^[^.]+$|\.(internal|local|localhost|lan|test|home\.arpa)$/;

/** Whether the address has no meaning on the Internet. */
export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$|\.$/, '$1');
  const family = isIP(host);
  return family === 0 ? PRIVATE_NAME.test(host) : PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The part of a URL that may be shown: without user, password, query and a lone slash. */
export function placeOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
