/**
 * The network that one client is likely to hold alone: an IPv4 address itself, the /64 of an IPv6 address (RFC 6177).
 * @param ip a valid address, or null when it is not known
 */
export function clientNetwork(ip: string | null): string {
  if (ip === null) return 'unknown';
  if (!ip.includes(':')) return ip;
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? dotted(groups.slice(6)) : `${groups.slice(0, 4).join(':')}::/64`;
}

function dotted(groups: readonly string[]): string {
  return groups.flatMap((group) => [...Buffer.from(group.padStart(4, '0'), 'hex')]).join('.');
}

/** The eight groups of an IPv6 address in any of its spellings (RFC 4291, 2.2), without leading zeros. */
function groupsOf(ip: string): string[] {
  const dotless = ip.split('%', 1)[0]!.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [left, right] = dotless.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = right ? [...left!, ...new Array<string>(8 - left!.length - right.length).fill('0'), ...right] : left!;
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
