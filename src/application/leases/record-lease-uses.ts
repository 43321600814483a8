import { isKeyId } from '../../domain/keys/key-id.js';
import { DAY_MS } from '../../domain/time.js';
import type { DatabaseClock, KeyUsage } from '../ports.js';

/** What a lease was used for, as its holder reports it. */
export interface ReportedUses {
  readonly keyId: string;
  /** A valid address, or null when it is not known. */
  readonly clientIp: string | null;
  readonly count: number;
  /** How long ago the last use was. */
  readonly lastMsAgo: number;
}

/** No lease carries more. */
const MOST_USES = 2 ** 32 - 1;

/** Records the grants under leases: as last uses, with their addresses, and in the counts of the day. */
export class RecordLeaseUses {
  /** How many uses were reported. */
  spent = 0;

  constructor(
    private readonly usage: KeyUsage,
    private readonly clock: DatabaseClock,
  ) {}

  /** @param service the name of the service that reports them */
  execute(reported: readonly ReportedUses[], service: string): void {
    const nowMs = this.clock.now().getTime();
    for (const { keyId, clientIp, lastMsAgo, ...uses } of reported) {
      if (!isKeyId(keyId) || !(uses.count > 0)) continue;
      const count = Math.min(uses.count, MOST_USES);
      this.spent += count;
      const at = new Date(nowMs - Math.min(lastMsAgo, DAY_MS));
      this.usage.noteLeased({ keyId, clientIp, service, count, at });
    }
  }
}
