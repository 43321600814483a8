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

/** One request, as far as a lease decides about it. */
export interface Use {
  readonly credential: Credential;
  readonly operation: Operation;
  readonly permission: string;
  readonly clientIp: string;
}

/** How often a key was used from an address, in one way. */
interface Count extends Omit<Use, 'credential'> {
  count: number;
  /** By the guard's monotonic clock. */
  lastAtMs: number;
}

/** What a key was used for since the last report. */
export interface UsesOfKey {
  readonly credential: Credential;
  readonly counts: Map<string, Count>;
  /** The count that the last use was added to: most keys are used from few addresses. */
  last?: Count;
}

/**
 * What leases were used for, until it is reported. Each use is reported once. The text of a credential is kept only for
 * that, and finds its key in the meantime: a digest takes longer than the rest of a grant.
 */
export class LeaseUses<Key extends { uses: UsesOfKey | undefined }> {
  private readonly keys = { apiKey: new Map<string, Key>(), authorization: new Map<string, Key>() };
  private counted = 0;

  /** @param mostCounts of all keys together: the uses from further addresses count as from an unknown one */
  constructor(private readonly mostCounts = 1000) {}

  /** Undefined: the key has no uses to report. */
  keyOf(credential: Credential): Key | undefined {
    if ('apiKey' in credential) return this.keys.apiKey.get(credential.apiKey);
    return this.keys.authorization.get(credential.authorization);
  }

  /** @param permission of the key, by which the request was granted; empty if it needed none */
  add(key: Key, use: Use, permission: string, atMs: number): void {
    const uses = (key.uses ??= this.begin(key, use.credential));
    let { last } = uses;
    const isSame =
      last && last.operation === use.operation && last.clientIp === use.clientIp && last.permission === permission;
    if (!last || !isSame) uses.last = last = this.countOf(uses, use, permission);
    last.count += 1;
    last.lastAtMs = atMs;
  }

  /** Takes all uses out, in portions that each fit into one report. */
  take(nowMs: number): KeyUses[][] {
    const portions: KeyUses[][] = [];
    let bytes = Infinity;
    for (const keys of Object.values(this.keys)) {
      for (const [text, key] of keys) {
        const { credential, counts } = key.uses!;
        key.uses = undefined;
        for (const { operation, permission, clientIp, count, lastAtMs } of counts.values()) {
          const size = Buffer.byteLength(text + clientIp + permission) + bytesAnEntry;
          if (bytes + size > mostBytes || portions.at(-1)?.length === mostEntries) {
            portions.push([]);
            bytes = 0;
          }
          bytes += size;
          portions.at(-1)!.push({
            ...credential,
            clientIp,
            count: Math.min(count, mostCount),
            lastMsAgo: Math.min(mostCount, Math.max(0, Math.round(nowMs - lastAtMs))),
            operation: `OPERATION_${operation}`,
            permission,
          });
        }
      }
      keys.clear();
    }
    this.counted = 0;
    return portions;
  }

  private begin(key: Key, credential: Credential): UsesOfKey {
    this.keys['apiKey' in credential ? 'apiKey' : 'authorization'].set(textOf(credential), key);
    return { credential, counts: new Map() };
  }

  private countOf(uses: UsesOfKey, use: Use, permission: string): Count {
    const { operation, clientIp } = use;
    const name = `${operation}\n${permission}\n${clientIp}`;
    const known = uses.counts.get(name);
    if (known) return known;
    const isRemembered = clientIp === '' || (this.counted < this.mostCounts && clientIp.length <= longestAddress);
    if (!isRemembered) return this.countOf(uses, { ...use, clientIp: '' }, permission);
    const made = { operation, permission, clientIp, count: 0, lastAtMs: 0 };
    uses.counts.set(name, made);
    this.counted += 1;
    return made;
  }
}
