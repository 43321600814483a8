/**
 * The network that one client probably has to itself: an IPv4 address, or the /64 of an IPv6 address (RFC 6177).
 * @param ip a valid address, or null when it is not known
 */
export function clientNetwork(ip: string | null): string {
  if (ip === null) return 'unknown';
  if (!ip.includes(':')) return ip;
  const groups = groupsOf(ip);
  return isMapped(groups) ? dotted(groups.slice(6)) : `${groups.slice(0, 4).join(':')}::/64`;
}

/** The canonical spelling (RFC 5952) of a valid address. An IPv4 address that is mapped to IPv6 becomes IPv4. */
export function canonicalAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  const groups = groupsOf(ip);
  if (isMapped(groups)) return dotted(groups.slice(6));
  const spelled = groups.join(':');
  const runs = [...spelled.matchAll(/(?:^|:)0(?::0)+(?:$|:)/g)].map(([run]) => run);
  const zeros = (run: string) => run.split('0').length;
  const longest = runs.reduce((one, other) => (zeros(other) > zeros(one) ? other : one), '');
  return longest ? spelled.replace(longest, '::') : spelled;
}

function isMapped(groups: readonly string[]): boolean {
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
}

function dotted(groups: readonly string[]): string {
  return groups.flatMap((group) => [...Buffer.from(group.padStart(4, '0'), 'hex')]).join('.');
}

/** The eight groups of an IPv6 address in any spelling (RFC 4291, 2.2), without leading zeros. */
function groupsOf(ip: string): string[] {
  const [left, right] = withoutDots(ip.split('%', 1)[0]!)
    .toLowerCase()
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const groups = right ? [...left!, ...new Array<string>(8 - left!.length - right.length).fill('0'), ...right] : left!;
  return groups.map((group) => (group.startsWith('0') ? Number.parseInt(group, 16).toString(16) : group));
}

function withoutDots(ip: string): string {
  if (!ip.includes('.')) return ip;
  return ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}
