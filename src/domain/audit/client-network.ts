import { isIpv4, parseAddress, spellAddress } from '../ip-address.js';

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
