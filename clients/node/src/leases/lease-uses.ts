import type { LeaseUses as Report } from '../generated/latchkey/v1/LeaseUses.js';

/** How often a key was used from an address since the last report. */
export interface UsesFrom {
  readonly keyId: string;
  readonly clientIp: string;
  count: number;
  /** In milliseconds of `performance.now()`. */
  lastAtMs: number;
  isReported: boolean;
}

/** The longest text of an address, with a zone. A longer text is none, and counts as unknown. */
const longestAddress = 64;

/** What leases were used for, until it is reported. Each use is reported once. */
export class LeaseUses {
  private uses = new Map<string, UsesFrom>();

  /** @param mostAddresses of all keys together: the uses from further ones count as from an unknown one */
  constructor(private readonly mostAddresses = 1000) {}

  /**
   * @param last what this returned for the last use of the same key
   * @returns where the use was added
   */
  add(keyId: string, clientIp: string, atMs: number, last: UsesFrom | undefined): UsesFrom {
    const from = last && !last.isReported && last.clientIp === clientIp ? last : this.from(keyId, clientIp);
    from.count += 1;
    from.lastAtMs = atMs;
    return from;
  }

  /** Takes all uses out, in portions that fit into one message. */
  take(nowMs: number, portion = 256): Report[][] {
    const taken = [...this.uses.values()];
    this.uses = new Map();
    const portions: Report[][] = [];
    for (let at = 0; at < taken.length; at += portion) portions.push(taken.slice(at, at + portion).map(report(nowMs)));
    return portions;
  }

  get isEmpty(): boolean {
    return this.uses.size === 0;
  }

  private from(keyId: string, clientIp: string): UsesFrom {
    const known = this.uses.get(`${keyId} ${clientIp}`);
    if (known) return known;
    const isRemembered = clientIp === '' || (this.uses.size < this.mostAddresses && clientIp.length <= longestAddress);
    if (!isRemembered) return this.from(keyId, '');
    const from = { keyId, clientIp, count: 0, lastAtMs: 0, isReported: false };
    this.uses.set(`${keyId} ${clientIp}`, from);
    return from;
  }
}

const report =
  (nowMs: number) =>
  (uses: UsesFrom): Report => {
    uses.isReported = true;
    const { keyId, clientIp, count, lastAtMs } = uses;
    return { keyId, clientIp, count, lastMsAgo: Math.max(0, Math.round(nowMs - lastAtMs)) };
  };
