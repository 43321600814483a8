/** Eight groups of 16 bits. An IPv4 address has its IPv4-mapped form (RFC 4291, section 2.5.5.2). */
export type IpAddress = readonly number[];

const OCTET = '(0|[1-9][0-9]{0,2})';
const DOTTED = new RegExp(`^${[OCTET, OCTET, OCTET, OCTET].join(String.raw`\.`)}$`);
const HEX_GROUPS = /^[0-9a-f:.]+$/i;

/** Undefined for anything but an IPv4 or IPv6 address. A zone (`%eth0`) is no part of an address. */
export function parseAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const dotted = dottedGroups(text);
    return dotted && [0, 0, 0, 0, 0, 0xffff, ...dotted];
  }
  if (!HEX_GROUPS.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  const [head = [], tail = []] = spellIpv6(text)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** As the host of a URL is written: RFC 5952, but all groups in hexadecimal. */
function spellIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/;

/** Some gateways name a client with its port: `192.0.2.9:50001`, `[2001:db8::7]:443`. Any other text stays as it is. */
export function withoutPort(text: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? dotted ?? text;
}

const WITH_MORE = /[%[]|\..*:/;

/** Without brackets, port and zone (`%eth0`), which names an interface of one machine. Any other text stays as it is. */
export function bareAddress(text: string): string {
  return WITH_MORE.test(text) ? withoutPort(text).split('%', 1)[0]! : text;
}

function dottedGroups(text: string): number[] | undefined {
  const octets = DOTTED.exec(text)?.slice(1).map(Number);
  if (!octets || octets.some((octet) => octet > 255)) return undefined;
  const [a, b, c, d] = octets as [number, number, number, number];
  return [(a << 8) | b, (c << 8) | d];
}

export function isIpv4(address: IpAddress): boolean {
  return address[5] === 0xffff && address.every((group, index) => group === 0 || index >= 5);
}

/** The canonical spelling: RFC 5952, and four numbers for IPv4. */
export function spellAddress(address: IpAddress): string {
  if (isIpv4(address))
    return address
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return spellIpv6(address.map((group) => group.toString(16)).join(':'));
}

/** The /64 of an IPv6 address (RFC 6177), or the IPv4 address: one client probably has it to itself. Null: unknown. */
export function clientNetwork(ip: string | null): string {
  if (ip === null) return 'unknown';
  if (!ip.includes(':')) return ip;
  const address = withoutZone(ip);
  if (isIpv4(address)) return spellAddress(address);
  const groups = address.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** The canonical spelling (RFC 5952) of a valid address. An IPv4 address that is mapped to IPv6 becomes IPv4. */
export function canonicalAddress(ip: string): string {
  return ip.includes(':') ? spellAddress(withoutZone(ip)) : ip;
}

function withoutZone(ip: string) {
  return parseAddress(ip.split('%', 1)[0]!)!;
}
