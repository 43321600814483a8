import type { KeyUses } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import type { Credential } from '../../../src/domain/keys/credential.js';
import type { Operation } from './operation.js';
import { textOf } from './question.js';

/** What a report may have at most. */
const mostEntries = 200;
const mostBytes = 48 * 1024;
/** Of an entry, beyond its texts. */
const bytesAnEntry = 32;
const mostCount = 0xffff_ffff;
/** The longest text of an address, with a zone. A longer text is none, and counts as unknown. */
const longestAddress = 64;

/** What one count is about. */
interface Counted {
  readonly digest: string;
  readonly credential: Credential;
  readonly operation: Operation;
  readonly clientIp: string;
}

/** How often a key was used from an address, in one way, since the last report. */
export interface UsesFrom extends Counted {
  readonly permission: string;
  count: number;
  /** By the guard's monotonic clock. */
  lastAtMs: number;
  isReported: boolean;
}

/** What leases were used for, until it is reported. Each use is reported once. */
export class LeaseUses {
  private counts = new Map<string, UsesFrom>();

  /** @param mostAddresses of all keys together: the uses from further ones count as from an unknown one */
  constructor(private readonly mostAddresses = 1000) {}

  /**
   * @param permission of the key, by which the request was granted; empty if it needed none
   * @param last what this returned for the last use of the same key
   * @returns the count that the use was added to
   */
  add(use: Counted, permission: string, atMs: number, last: UsesFrom | undefined): UsesFrom {
    const count = last && !last.isReported && isSame(last, use, permission) ? last : this.countOf(use, permission);
    count.count += 1;
    count.lastAtMs = atMs;
    return count;
  }

  /** Takes all uses out, in portions that each fit into one report. */
  take(nowMs: number): KeyUses[][] {
    const portions: KeyUses[][] = [];
    let bytes = Infinity;
    for (const uses of this.counts.values()) {
      uses.isReported = true;
      const { credential, clientIp, permission, operation, lastAtMs } = uses;
      const size = Buffer.byteLength(textOf(credential) + clientIp + permission) + bytesAnEntry;
      if (bytes + size > mostBytes || portions.at(-1)?.length === mostEntries) {
        portions.push([]);
        bytes = 0;
      }
      bytes += size;
      portions.at(-1)!.push({
        ...credential,
        clientIp,
        count: Math.min(uses.count, mostCount),
        lastMsAgo: Math.min(mostCount, Math.max(0, Math.round(nowMs - lastAtMs))),
        operation: `OPERATION_${operation}`,
        permission,
      });
    }
    this.counts = new Map();
    return portions;
  }

  private countOf(use: Counted, permission: string): UsesFrom {
    const { digest, credential, operation, clientIp } = use;
    const name = `${digest}\n${operation}\n${permission}\n${clientIp}`;
    const known = this.counts.get(name);
    if (known) return known;
    const isRemembered =
      clientIp === '' || (this.counts.size < this.mostAddresses && clientIp.length <= longestAddress);
    if (!isRemembered) return this.countOf({ ...use, clientIp: '' }, permission);
    const made = { digest, credential, operation, clientIp, permission, count: 0, lastAtMs: 0, isReported: false };
    this.counts.set(name, made);
    return made;
  }
}

function isSame(one: UsesFrom, { operation, clientIp }: Counted, permission: string): boolean {
  return one.operation === operation && one.clientIp === clientIp && one.permission === permission;
}
