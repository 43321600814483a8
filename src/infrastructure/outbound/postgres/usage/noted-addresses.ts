/**
 * How many addresses of a key are kept in memory. Only the newest five of them are stored, but up to eight networks that
 * use the key within seconds are noticed.
 */
const MAX_HELD = 8;

/** Grants from one address since the last write. */
export interface NotedAddress {
  /** As the caller spelled it. The same address may come in several spellings. */
  readonly clientIp: string;
  readonly service: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The addresses of one key. */
export class NotedAddresses {
  private held: HeldAddress[] = [];

  note(clientIp: string, service: string | null, firstMs: number, lastMs: number): void {
    for (const known of this.held) {
      if (known.clientIp === clientIp) return known.extend(service, firstMs, lastMs);
    }
    const address = new HeldAddress(clientIp, service, firstMs, lastMs);
    // Not `push`, for which V8 reserves 17 places.
    if (this.held.length < MAX_HELD) this.held = [...this.held, address];
    else this.held[this.leastUseful(address)] = address;
  }

  /** Returns what has to be written. The addresses stay in memory, so that they are recognized again. */
  take(): NotedAddress[] {
    return this.held.flatMap((address) => address.take());
  }

  /**
   * Which address to replace: one that is already written; otherwise one whose network another address represents, so
   * that a crowd of addresses hides no network; otherwise the oldest.
   */
  private leastUseful(added: HeldAddress): number {
    let [least, leastWorth] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at < this.held.length; at += 1) {
      const address = this.held[at]!;
      const worth = this.worth(address, added);
      if (worth > leastWorth || (worth === leastWorth && address.lastMs >= this.held[least]!.lastMs)) continue;
      [least, leastWorth] = [at, worth];
    }
    return least;
  }

  private worth(address: HeldAddress, added: HeldAddress): 0 | 1 | 2 {
    if (address.isTaken) return 0;
    if (address.isNear(added)) return 1;
    for (const other of this.held) if (other !== address && !other.isTaken && other.isNear(address)) return 1;
    return 2;
  }
}

class HeldAddress implements NotedAddress {
  isTaken = false;
  private readonly beginning: number;

  constructor(
    readonly clientIp: string,
    public service: string | null,
    public firstMs: number,
    public lastMs: number,
  ) {
    this.beginning = beginningOf(clientIp);
  }

  /** Whether both are probably in the same network. Compares how the addresses are written, which is cheap. */
  isNear(other: HeldAddress): boolean {
    return this.beginning === other.beginning;
  }

  extend(service: string | null, firstMs: number, lastMs: number): void {
    if (this.isTaken || lastMs >= this.lastMs) {
      this.lastMs = lastMs;
      this.service = service;
    }
    if (this.isTaken || firstMs < this.firstMs) this.firstMs = firstMs;
    this.isTaken = false;
  }

  take(): NotedAddress[] {
    if (this.isTaken) return [];
    this.isTaken = true;
    const { clientIp, service, firstMs, lastMs } = this;
    return [{ clientIp, service, firstMs, lastMs }];
  }
}

/** A hash of the part before the last dot, before the fourth colon, or before the omitted zeros (`::`). */
function beginningOf(ip: string): number {
  const end = ip.includes('.') ? ip.lastIndexOf('.') : endOfGroups(ip);
  let hash = 0;
  for (let at = 0; at < end; at += 1) hash = (Math.imul(hash, 31) + ip.charCodeAt(at)) | 0;
  return hash;
}

function endOfGroups(ip: string): number {
  let end = ip.indexOf(':');
  for (let colons = 1; colons < 4 && ip[end + 1] !== ':'; colons += 1) end = ip.indexOf(':', end + 1);
  return end;
}
