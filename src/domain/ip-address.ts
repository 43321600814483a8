/** Eight groups of 16 bits. An IPv4 address has its IPv4-mapped form (RFC 4291, section 2.5.5.2). */
export type IpAddress = readonly number[];

const OCTET = '(0|[1-9][0-9]{0,2})';
const DOTTED = new RegExp(`^${[OCTET, OCTET, OCTET, OCTET].join(String.raw`\.`)}$`);
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** Undefined for anything but an IPv4 or IPv6 address. A zone (`%eth0`) is no part of an address. */
export function parseAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const dotted = dottedGroups(text);
    return dotted && [0, 0, 0, 0, 0, 0xffff, ...dotted];
  }
  const [left, right, more] = text.split('::');
  if (more !== undefined) return undefined;
  if (right === undefined) {
    const all = groupsOf(left!, true);
    return all?.length === 8 ? all : undefined;
  }
  const [head, tail] = [groupsOf(left!, false), groupsOf(right, true)];
  if (!head || !tail || head.length + tail.length > 7) return undefined;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
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

/** @param isEnd of the address, which may be written in dots */
function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const dotted = isEnd ? dottedGroups(parts.at(-1)!) : undefined;
  const written = dotted ? parts.slice(0, -1) : parts;
  if (!written.every((part) => GROUP.test(part))) return undefined;
  return [...written.map((part) => Number.parseInt(part, 16)), ...(dotted ?? [])];
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
  const spelled = address.map((group) => group.toString(16)).join(':');
  const runs = [...spelled.matchAll(/(?:^|:)0(?::0)+(?:$|:)/g)].map(([run]) => run);
  const zeros = (run: string) => run.split('0').length;
  const longest = runs.reduce((one, other) => (zeros(other) > zeros(one) ? other : one), '');
  return longest ? spelled.replace(longest, '::') : spelled;
}

/**
 * The network that one client probably has to itself: an IPv4 address, or the /64 of an IPv6 address (RFC 6177).
 * @param ip a valid address, or null when it is not known
 */
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
