import { refusalBy } from '../../src/domain/keys/key-rights.js';
import type { Question } from '../../src/domain/keys/verdict.js';
import { type AccountRow, type KeyRow, type Postgres, standingOf } from './postgres.js';
import type { VirtualTime } from './virtual-time.js';

/** What a service learns from a grant. */
export interface ModelGrant {
  readonly account: AccountRow;
  readonly key: KeyRow;
}

export interface ModelRequest {
  readonly ownerId: string;
  readonly keyId: string;
  readonly hasSecret: boolean;
  readonly question: Question;
}

/** What must hold of a request, fixed when it starts. */
export interface Started {
  readonly atTrueMs: number;
  readonly atDatabaseTime: Date;
  readonly leastVersion: number;
}

export const LIMIT = { perSecond: 10, burst: 4 };

/** Promise 1, and what §11 says of limits. */
export class Checker {
  violation: string | undefined;
  grants = 0;
  grantsFromLeases = 0;
  private readonly answered = new Map<string, number>();
  private readonly newest = new Map<string, number>();
  private readonly lost = new Set<string>();
  private readonly promoted: { readonly atTrueMs: number; readonly ownerId: string; readonly version: number }[] = [];
  private readonly usedFirst = new Set<string>();
  private readonly admitted = new Map<string, number[]>();

  constructor(
    private readonly time: VirtualTime,
    private readonly postgres: Postgres,
    private readonly longestLeaseMs: number,
  ) {}

  start({ ownerId }: ModelRequest): Started {
    const leastVersion = this.answered.get(ownerId) ?? 0;
    return { atTrueMs: this.time.now, atDatabaseTime: this.postgres.clock, leastVersion };
  }

  /** A change, or a call that states what an earlier one did, was answered. */
  answerChange(ownerId: string, version: number): void {
    // PostgreSQL lost it.
    if (this.lost.has(`${ownerId} ${version}`)) return;
    this.answered.set(ownerId, Math.max(version, this.answered.get(ownerId) ?? 0));
  }

  /** It was committed once, even if PostgreSQL lost it. */
  recordFirstUse(keyId: string): void {
    this.usedFirst.add(keyId);
  }

  newVersion(ownerId: string): number {
    const version = (this.newest.get(ownerId) ?? 0) + 1;
    this.newest.set(ownerId, version);
    return version;
  }

  /** After a promotion: nobody is promised what PostgreSQL lost. */
  forgetLost(): void {
    for (const { id, version } of this.postgres.rows.accounts) {
      const newest = this.newest.get(id) ?? 0;
      for (let each = version + 1; each <= newest; each += 1) this.lost.add(`${id} ${each}`);
      const answered = this.answered.get(id);
      if (answered !== undefined) this.answered.set(id, Math.min(answered, version));
      this.promoted.push({ atTrueMs: this.time.now, ownerId: id, version });
    }
  }

  grant(request: ModelRequest, started: Started, { account, key }: ModelGrant, isFromLease: boolean): void {
    this.grants += 1;
    if (isFromLease) this.grantsFromLeases += 1;
    const { id } = key;
    if (account.id !== request.ownerId || id !== request.keyId || !request.hasSecret) this.fail('with a wrong secret');
    const least = this.leastVersion(request, started);
    if (account.version < least) this.fail(`by version ${account.version}, after version ${least} was answered`);
    if (refusalBy(standingOf(account, key).rights, request.question)) this.fail('though its rights do not allow it');
    if (account.status !== 'active' || key.revokedAt) this.fail('of a key that does not work');
    const now = this.postgres.account(account.id).keys.find((each) => each.id === id);
    if (now && !this.lost.has(`${account.id} ${account.version}`)) {
      const ends = Math.min(now.expiresAt.getTime(), now.endsAt?.getTime() ?? Infinity);
      if (started.atDatabaseTime.getTime() >= ends) this.fail('after its end by the clock');
      if (now.awaitsFirstUse && !this.usedFirst.has(id)) this.fail('before the first use was recorded');
    }
    this.admit(id);
  }

  /** Of what was answered before the request started, less what PostgreSQL has lost since. */
  private leastVersion({ ownerId }: ModelRequest, { atTrueMs, leastVersion }: Started): number {
    const since = this.promoted.filter((each) => each.ownerId === ownerId && each.atTrueMs >= atTrueMs);
    return Math.min(leastVersion, ...since.map(({ version }) => version));
  }

  /** Only the service refuses, so that each refusal is on the audit trail. */
  refuse(isFromLease: boolean): void {
    if (isFromLease) this.violation ??= 'a refusal that the service does not know of';
  }

  /** What all guards admit in any window stays within burst + rate × (window + the longest lease). */
  private admit(keyId: string): void {
    let times = this.admitted.get(keyId);
    if (!times) this.admitted.set(keyId, (times = []));
    times.push(this.time.now);
    for (let index = times.length - 1; index >= 0; index -= 1) {
      const seconds = (this.time.now - times[index]! + this.longestLeaseMs) / 1000;
      if (times.length - index > LIMIT.burst + LIMIT.perSecond * seconds + 1e-6) return this.fail('beyond the limit');
    }
  }

  private fail(why: string): void {
    this.violation ??= `a grant ${why}`;
  }
}
