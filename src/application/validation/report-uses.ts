import { isProof } from '#domain/keys/key-restrictions.js';
import type { KeyStanding } from '#domain/keys/key-standing.js';
import { chargeUpTo, type RateLimit } from '#domain/rate-limit.js';
import type { Operation } from '#domain/keys/verdict.js';
import { reportedUse } from '#domain/usage/key-history.js';
import type { Ports } from '../ports.js';
import { type KeySources, presentedIn } from './validate-key.js';

/** What a guard granted by itself, under leases. */
export interface ReportedUses {
  /** Undefined when there is none that can be read. */
  readonly credential: string | undefined;
  /** A valid address, or null when it is not known. */
  readonly clientIp: string | null;
  readonly count: number;
  /** How long ago the last use was. */
  readonly lastMsAgo: number;
  /** The permission of the key that granted them: empty where they needed none, null when it is not known. */
  readonly permission: string | null;
  readonly operation: Operation | undefined;
}

const MAX_MS_AGO = 10_000;
/** How often the budgets that are full again are removed. */
const SWEEP_EVERY_MS = 60_000;

interface ReportParts extends KeySources, Pick<Ports, 'usage' | 'databaseClock'> {
  /** Of keys whose owner has no limit of their own. */
  readonly rateLimit: RateLimit;
}

/**
 * Records grants under leases: as last uses, with their addresses, and in the counts of the day. Uses count only for
 * a key that the reporter shows, and only as many as the key's limit admits, so no service can make uses up.
 */
export class ReportUses {
  readonly counts = { reported: 0, dropped: 0 };
  /** By key: when its budget is full again, in microseconds. */
  private readonly budgets = new Map<string, number>();
  private sweptAtMs = 0;

  constructor(
    private readonly parts: ReportParts,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @param service the name of the service that reports them. Throws `unavailable`; then nothing is recorded. */
  async execute(reported: readonly ReportedUses[], service: string): Promise<void> {
    const proven = await Promise.all(reported.map(({ credential }) => this.proven(credential)));
    this.sweep();
    reported.forEach((uses, index) => this.note(uses, proven[index], service));
  }

  private async proven(credential: string | undefined): Promise<KeyStanding | undefined> {
    const presented = credential === undefined ? undefined : presentedIn(credential, this.parts);
    const found = presented && (await presented.reader.read(presented.publicPart)).found;
    return found && isProof(presented!.digest, found.proof) ? found : undefined;
  }

  private note(
    { clientIp, count: claimed, lastMsAgo, permission, operation }: ReportedUses,
    key: KeyStanding | undefined,
    service: string,
  ) {
    const count = key ? this.admitted(key, claimed) : 0;
    this.counts.reported += count;
    this.counts.dropped += claimed - count;
    if (!key || count === 0) return;
    const at = new Date(this.parts.databaseClock.now().getTime() - Math.min(lastMsAgo, MAX_MS_AGO));
    const used = reportedUse(permission, operation, key.rights.permissions);
    this.parts.usage.noteGrant(key.id, clientIp, service, at, used, count);
  }

  /** In any 3 seconds at most the burst and 4 seconds of the rate: a bucket that holds the burst and 1 second. */
  private admitted(key: KeyStanding, claimed: number): number {
    const { perSecond, burst } = key.rateLimit(this.parts.rateLimit);
    const now = Math.floor(this.nowMs() * 1000);
    const limit = { perSecond, burst: burst + perSecond };
    const { tat, admitted } = chargeUpTo(limit, this.budgets.get(key.id), now, claimed);
    this.budgets.set(key.id, tat);
    return admitted;
  }

  private sweep(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.sweptAtMs < SWEEP_EVERY_MS) return;
    this.sweptAtMs = nowMs;
    for (const [keyId, tat] of this.budgets) if (tat <= nowMs * 1000) this.budgets.delete(keyId);
  }
}
