import { type IpAddress, isIpv4, parseAddress, spellAddress } from '../ip-address.js';
import { oncePerList } from '../once-per-list.js';
import { withoutSecrets } from '../secrets.js';

export const MAX_ALLOWED_NETWORKS = 20;

/** A CIDR range (RFC 4632). `length` counts the fixed bits of the eight groups, so an IPv4 range has 96 or more. */
interface Network {
  readonly address: IpAddress;
  readonly length: number;
}

export class AllowedNetworks {
  /** The answer for the last address: each validation needs it twice, and most keys are used from few addresses. */
  private last: { readonly address: string | null; readonly isAllowed: boolean } = { address: null, isAllowed: false };

  private constructor(private readonly networks: readonly Network[]) {}

  /** @param stored a text that is no network allows no address */
  static readonly restore = oncePerList(
    (stored) => new AllowedNetworks(stored.flatMap((text) => parseNetwork(text) ?? [])),
  );

  /** @param clientAddress null when it is unknown, and then it is not allowed */
  allow(clientAddress: string | null): boolean {
    if (clientAddress !== this.last.address) {
      const address = clientAddress === null ? undefined : parseAddress(clientAddress);
      const isAllowed = address !== undefined && this.networks.some((network) => contains(network, address));
      this.last = { address: clientAddress, isAllowed };
    }
    return this.last.isAllowed;
  }
}

/** Each network in its canonical spelling, with its host bits cleared, and once. */
export function normalizeNetworks(networks: readonly string[]): string[] {
  return [...new Set(networks.map((text) => spellNetwork(parseNetwork(text)!)))];
}

export function allowedNetworksProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_ALLOWED_NETWORKS) {
    return `must be a list of 1 to ${MAX_ALLOWED_NETWORKS} networks: leave the field out to allow every address`;
  }
  for (const each of value as unknown[]) {
    if (typeof each !== 'string') return 'must hold texts such as "203.0.113.0/24"';
    const problem = networkProblem(each);
    if (problem) return `holds ${JSON.stringify(withoutSecrets(each.slice(0, 256)).slice(0, 64))}, which ${problem}`;
  }
  return undefined;
}

/** Whether every address of one network is in the other. Both must be valid. */
export function isInside(inner: string, outer: string): boolean {
  const [one, other] = [parseNetwork(inner)!, parseNetwork(outer)!];
  return one.length >= other.length && contains(other, one.address);
}

/** Whether a text is a network of all IPv4 or all IPv6 addresses. */
export function isEverywhere(text: string): boolean {
  const network = parseNetwork(text);
  return network !== undefined && network.length === (isIpv4(network.address) ? 96 : 0);
}

function networkProblem(text: string): string | undefined {
  if (isEverywhere(text)) return 'holds every address: leave the field empty instead';
  if (parseNetwork(text)) return undefined;
  if (text.includes('%')) return 'has a zone: leave out the % and what follows it';
  if (/^\[.*\]|^[0-9.]+:[0-9]+(\/|$)/.test(text)) return 'has a port or brackets: leave them out';
  if (parseAddress(text.split('/', 1)[0]!)) return 'has no valid length after the /: at most 32 for IPv4, 128 for IPv6';
  if (/[g-z]/i.test(text)) return 'is a name: write the address of the network instead';
  return 'must be an IPv4 or IPv6 network such as 203.0.113.0/24 or 2001:db8::/32';
}

/** An address alone is a network of one. An IPv4-mapped address is IPv4, also with a length that counts its 128 bits. */
function parseNetwork(text: string): Network | undefined {
  const [written = '', digits, more] = text.split('/');
  const address = parseAddress(written);
  if (!address || more !== undefined) return undefined;
  if (digits === undefined) return { address, length: 128 };
  if (!/^(0|[1-9][0-9]{0,2})$/.test(digits)) return undefined;
  const length = written.includes(':') ? Number(digits) : 96 + Number(digits);
  if (length > 128 || (isIpv4(address) && length < 96)) return undefined;
  return { address: address.map((group, index) => group & maskOf(length, index)), length };
}

function spellNetwork({ address, length }: Network): string {
  return `${spellAddress(address)}/${isIpv4(address) ? length - 96 : length}`;
}

/** No IPv6 network contains an IPv4 address. */
function contains(network: Network, address: IpAddress): boolean {
  for (let index = 0; 16 * index < network.length; index += 1) {
    if ((address[index]! & maskOf(network.length, index)) !== network.address[index]) return false;
  }
  return isIpv4(network.address) === isIpv4(address);
}

/** The fixed bits of the group at `index`. */
function maskOf(length: number, index: number): number {
  const bits = Math.min(16, Math.max(0, length - 16 * index));
  return (0xffff << (16 - bits)) & 0xffff;
}
