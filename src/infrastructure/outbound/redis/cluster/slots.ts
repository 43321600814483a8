/**
 * A key's slot is the CRC-16 (XMODEM) of its name modulo 16384:
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
 */
export const SLOTS = 16_384;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

/** @param name ASCII without braces, as our names are */
export function slotOf(name: string): number {
  let crc = 0;
  for (let at = 0; at < name.length; at += 1) {
    crc = ((crc << 8) ^ TABLE[((crc >> 8) ^ name.charCodeAt(at)) & 0xff]!) & 0xffff;
  }
  return crc % SLOTS;
}

/** From CLUSTER SLOTS: first slot, last slot, then nodes with the primary first, each as host, port and more. */
export type SlotRange = [first: number, last: number, primary: [host: string | null, port: number]];

/** An error that names another node for a slot: MOVED for good, ASK for this call only, while the slot is moving. */
export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly address: string;
}

/** @param from the host that sent it; a node that does not know its own name leaves it out */
export function redirectionOf({ message }: Error, from: string): Redirection | undefined {
  const [kind, , address = ''] = message.split(' ');
  if (kind !== 'MOVED' && kind !== 'ASK') return undefined;
  return { kind, address: address.startsWith(':') ? `${from}${address}` : address };
}

/** IPv6 addresses come without brackets, so the port follows the last colon. */
export function hostAndPort(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
