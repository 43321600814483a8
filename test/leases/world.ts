import type { Granted } from '../../clients/node/src/decision.js';
import { type Clocks, Leases } from '../../clients/node/src/leases.js';
import type { Use } from '../../clients/node/src/lease-uses.js';
import { ChangeWaits, accountsForJobs } from '#application/change-waits.js';
import type { AccountTransaction, Accounts, Instances } from '#application/account-ports.js';
import { LatchkeyError, Refusal } from '#domain/errors.js';
import { leaseLength } from '#domain/keys/lease.js';
import { VirtualTime } from './virtual-time.js';

/** Times are milliseconds of true time. */
export interface Machine {
  /** How fast its clocks run, around 1. */
  readonly wallRate: number;
  readonly monotonicRate: number;
  /** A process that is frozen does nothing, and its clocks run on. */
  readonly frozen: Span;
  /** On a machine that sleeps the monotonic clock stands still. */
  readonly asleep: Span;
}
export interface Span {
  readonly from: number;
  readonly ms: number;
}
export interface Instance extends Machine {
  readonly leaseMs: number;
  /** Its last renewal before the beginning. */
  readonly renewedMsAgo: number;
  readonly renewsAt: number;
  /** When it is killed or stopped, which leaves its row. */
  readonly endsAt: number;
  /** LEASE_MS of the process that replaces it then. */
  readonly nextLeaseMs: number;
}
export type Act = { readonly at: number; readonly delays: readonly number[] } & (
  | { readonly what: 'check'; readonly guard: number; readonly instance: number }
  | { readonly what: 'change' | 'refused call' | 'change by a job'; readonly instance: number }
  | { readonly what: 'short rotation'; readonly instance: number; readonly usedAfter: number; readonly graceMs: number }
);
export interface Schedule {
  readonly guards: readonly Machine[];
  readonly instances: readonly Instance[];
  readonly acts: readonly Act[];
  /** A standby becomes the primary, with everything that was committed; its clock differs by so much. */
  readonly failover: { readonly at: number; readonly jumpMs: number };
  /** When reading `instances` and clearing a change fails. */
  readonly outage: Span;
  /** PostgreSQL's time at which the key ends. */
  readonly endsAt: number;
}

/** The rules of DESIGN that a test removes, to see that the simulation finds it. */
export const RULES = [
  'a guard notes its clocks before the call',
  'a guard stops at 90 % of the length',
  'the larger of both clocks counts',
  'a change waits for 110 % of the longest lease',
  'the wait begins at the end of the transaction',
  'the longest LEASE_MS of all processes counts',
  'the processes are read after the commit',
  'a stop leaves the row',
  'a row never changes its LEASE_MS',
  'changes count rows for longer than leases do',
  'a lease is no longer than the LEASE_MS in its snapshot',
  'a change waits 2.2 s where the processes can not be read',
  'a call that finds an unanswered change waits',
  'jobs leave their changes unanswered',
  'a waiter clears its own change only',
  'the barrier confirms each read',
  'a short rotation is a change, and then there is no lease',
  'a lease takes at most 90 % of the time until the end',
] as const;
export type Rule = (typeof RULES)[number];

const OWNER = 'Ann';
const USE: Use = { credential: { authorization: 'a' }, operation: 'READ', permission: '', clientIp: '' };
const WISH = { uses: 1000, understands: new Set<string>() };
const FAR = new Date(8e15);
const REFUSED = { allowed: false, status: 503, reason: 'SERVICE_UNAVAILABLE', rateLimit: undefined } as const;
/** How long an instance may believe a primary that was replaced. */
const BELIEVED_MS = 2000;
const MINUTE = 60_000;

interface Row {
  readonly leaseMs: number;
  readonly insertedAt: number;
  /** By PostgreSQL's clock. */
  renewedAt: number;
  isLeft: boolean;
}

/** PostgreSQL, instances, guards and callers of one account with one key. Everything that decides is the shipped code. */
export class World {
  /** What breaks promise 1. */
  readonly violations: string[] = [];
  leasesUsed = 0;
  private readonly time = new VirtualTime();
  /** Counts the changes of the account. */
  private readonly commits: { readonly at: number; readonly version: number }[] = [];
  private version = 0;
  private unanswered: string | undefined;
  private answered = 0;
  private readonly rows: Row[] = [];
  private lastTransaction: Promise<unknown> = Promise.resolve();
  private readonly guards: Leases[];
  private graceMs: number | undefined;
  private keyEndsAt: number;

  constructor(
    private readonly schedule: Schedule,
    private readonly removed?: Rule,
  ) {
    this.keyEndsAt = schedule.endsAt;
    this.time.at(schedule.endsAt, () => this.probe());
    this.guards = schedule.guards.map((machine) => new Leases(this.clocksOf(machine)));
    for (const [index, instance] of schedule.instances.entries()) this.begin(instance, index);
    for (const act of schedule.acts) this.time.at(act.at, () => void this.perform(act));
  }

  run(): Promise<void> {
    return this.time.run();
  }

  private has(rule: Rule): boolean {
    return rule !== this.removed;
  }

  /** PostgreSQL's clock, in true time plus what it differs. */
  private serverTime(at = this.time.now): number {
    const { failover } = this.schedule;
    return at >= failover.at ? at + failover.jumpMs : at;
  }

  private clocksOf({ wallRate, monotonicRate, asleep }: Machine): Clocks {
    const slept = () => Math.min(Math.max(this.time.now - asleep.from, 0), asleep.ms);
    const monotonic = () => 7e6 + (this.time.now - slept()) * monotonicRate;
    return { wall: () => (this.has('the larger of both clocks counts') ? this.time.now * wallRate : 0), monotonic };
  }

  /** A step of a process takes place when it is neither frozen nor asleep. */
  private async step({ frozen, asleep }: Machine, delayMs: number): Promise<void> {
    let at = this.time.now + delayMs;
    for (const { from, ms } of [frozen, asleep, frozen]) if (at >= from && at < from + ms) at = from + ms;
    await this.time.until(at);
  }

  private begin({ leaseMs, renewedMsAgo, renewsAt, endsAt, nextLeaseMs }: Instance, index: number): void {
    const row: Row = { leaseMs, insertedAt: -Infinity, renewedAt: -renewedMsAgo, isLeft: false };
    this.rows[index] = row;
    this.time.at(renewsAt, () => void (row.isLeft || (row.renewedAt = this.serverTime())));
    this.time.at(endsAt, () => {
      row.isLeft = true;
      if (!this.has('a stop leaves the row')) this.rows[index] = { ...row, renewedAt: -Infinity };
      if (!this.has('a row never changes its LEASE_MS')) this.rows[index] = { ...row, leaseMs: nextLeaseMs };
      this.rows.push({ leaseMs: nextLeaseMs, insertedAt: this.time.now, renewedAt: this.serverTime(), isLeft: false });
    });
  }

  /** @param since to whom rows count, in PostgreSQL's time */
  private longest(since: number): number | undefined {
    const counted = this.rows.filter(({ renewedAt, insertedAt }) => renewedAt > since && insertedAt <= this.time.now);
    return counted.length > 0 ? Math.max(...counted.map(({ leaseMs }) => leaseMs)) : undefined;
  }

  private perform(act: Act): Promise<void> | undefined {
    if (act.what === 'check') return this.check(act);
    return this.call(act).catch((error: unknown) => {
      if (!(error instanceof LatchkeyError)) throw error;
    });
  }

  private async check({ guard, instance, delays }: Extract<Act, { what: 'check' }>): Promise<void> {
    const machine = this.schedule.guards[guard]!;
    const leases = this.guards[guard]!;
    await this.step(machine, 0);
    const key = leases.keyOf(USE.credential)!;
    const held = leases.grantFor(key, USE);
    if (held) this.checkGrant(held.granted);
    const wish = held ? held.renewal : leases.next(key, USE);
    if (!wish || wish instanceof Promise) return;
    const server = this.schedule.instances[instance]!;
    const leaseMs = this.time.now >= server.endsAt ? server.nextLeaseMs : server.leaseMs;
    await this.step(server, delays[0]!);
    await this.time.until(this.time.now + delays[1]!);
    const read = this.read(leaseMs, delays[2]! % 2 === 1);
    await this.step(server, delays[2]!);
    await this.step(machine, delays[3]!);
    const at = this.has('a guard notes its clocks before the call')
      ? wish
      : { ...wish, wallMs: this.time.now * machine.wallRate, monotonicMs: this.clocksOf(machine).monotonic() };
    leases.ended(at, read?.granted ?? REFUSED, read?.lease);
  }

  /** One snapshot. Undefined: there is no grant. @param isOnOldServer if there are two */
  private read(leaseMs: number, isOnOldServer: boolean) {
    const { at: promotedAt } = this.schedule.failover;
    const isReplaced = isOnOldServer && this.time.now >= promotedAt;
    if (isReplaced && (this.has('the barrier confirms each read') || this.time.now > promotedAt + BELIEVED_MS))
      return undefined;
    const seenUntil = isReplaced ? promotedAt : this.time.now;
    const version = this.commits.findLast(({ at }) => at <= seenUntil)?.version ?? 0;
    const now = this.serverTime();
    if (now >= this.keyEndsAt) return undefined;
    const knowsLongest = this.has('a lease is no longer than the LEASE_MS in its snapshot');
    const restsUntil = this.has('a lease takes at most 90 % of the time until the end') ? this.keyEndsAt : Infinity;
    const isShort = this.has('a short rotation is a change, and then there is no lease');
    const key = {
      expiresAt: FAR,
      endsAt: restsUntil === Infinity ? null : new Date(restsUntil),
      restrictions: [],
      awaitsUse: false,
      graceSeconds: isShort && this.graceMs !== undefined ? this.graceMs / 1000 : null,
      longestLeaseMs: knowsLongest ? (this.longest(now - 10 * MINUTE) ?? null) : leaseMs,
    };
    const given = leaseLength(leaseMs, WISH, key, new Date(now));
    const lengthMs = given && (this.has('a guard stops at 90 % of the length') ? given : given / 0.9);
    const attributes = { version: String(version) };
    const principal = {
      keyId: 'k',
      ownerId: OWNER,
      access: 'read-only',
      permissions: [],
      expiresAt: FAR,
      attributes,
    } as const;
    const granted: Granted = { allowed: true, principal, rateLimit: undefined };
    return {
      granted,
      lease: lengthMs ? { lengthMs, uses: 1000, hasOwnPermissions: false, allowedNetworks: [] } : undefined,
    };
  }

  /** A request that starts now is granted from a lease. */
  private checkGrant({ principal }: Granted): void {
    this.leasesUsed += 1;
    const version = Number(principal.attributes['version']);
    if (version < this.answered) this.violations.push(`${this.time.now}: granted ${version} after ${this.answered}`);
    if (this.serverTime() >= this.keyEndsAt) this.violations.push(`${this.time.now}: granted after the end of the key`);
  }

  private useSuccessor(graceMs: number): void {
    if (this.graceMs === undefined) return;
    this.graceMs = undefined;
    this.keyEndsAt = Math.min(this.keyEndsAt, this.serverTime() + graceMs);
    this.time.at(this.time.now + graceMs, () => this.probe());
  }

  /** Each guard gets a request, now that it matters. */
  private probe(): void {
    for (const [index, { frozen, asleep }] of this.schedule.guards.entries()) {
      const isAway = [frozen, asleep].some(({ from, ms }) => this.time.now >= from && this.time.now < from + ms);
      const leases = this.guards[index]!;
      const held = isAway ? undefined : leases.grantFor(leases.keyOf(USE.credential)!, USE);
      if (held) this.checkGrant(held.granted);
      if (held?.renewal) leases.ended(held.renewal, REFUSED, undefined);
    }
  }

  private async call(act: Exclude<Act, { what: 'check' }>): Promise<void> {
    const instance = this.schedule.instances[act.instance]!;
    const accounts = this.accounts(act, instance);
    const waits = new ChangeWaits(this.instances(act, instance), { waited: () => undefined }, this.clockOf(instance));
    const isSilent = act.what === 'change by a job';
    const isMarked = this.has('jobs leave their changes unanswered');
    const answering = isSilent ? (isMarked ? accountsForJobs(accounts) : accounts) : waits.answered(accounts);
    let stated = 0;
    const outcome = await answering
      .transaction(OWNER, async (transaction) => {
        stated = this.version + (act.what === 'refused call' ? 0 : 1);
        if (act.what === 'refused call') throw new Refusal('api_key_not_active', 'already');
        const change = transaction as AccountTransaction & { change(): void };
        change.change();
      })
      .then(
        () => 'answered',
        (error: unknown) => (error instanceof Refusal ? 'answered' : 'unavailable'),
      );
    if (outcome === 'unavailable' || isSilent || this.time.now >= instance.endsAt) return;
    this.answered = Math.max(this.answered, stated);
    this.probe();
    if (act.what !== 'short rotation') return;
    // Nobody knows the successor before the answer.
    this.time.at(this.time.now + act.usedAfter, () => this.useSuccessor(act.graceMs));
  }

  /** One transaction after the other. */
  private accounts(act: Exclude<Act, { what: 'check' }>, instance: Instance): Accounts {
    const transact = async (work: (transaction: AccountTransaction) => Promise<unknown>) => {
      await this.time.until(this.time.now + act.delays[0]!);
      const server = this.schedule.failover.at <= this.time.now;
      let changed = false;
      let left: string | undefined;
      const ends =
        this.has('a short rotation is a change, and then there is no lease') || act.what !== 'short rotation';
      const transaction = {
        unanswered: this.has('a call that finds an unanswered change waits') ? this.unanswered : undefined,
        get endsLeases() {
          return changed && ends;
        },
        leaveUnanswered: async (id: string) => void (left = id),
        change: () => (changed = true),
      };
      const outcome = await work(transaction as unknown as AccountTransaction).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      await this.time.until(this.time.now + act.delays[1]!);
      if (server !== this.schedule.failover.at <= this.time.now) throw new LatchkeyError('unavailable', 'failover');
      if (changed) this.commits.push({ at: this.time.now, version: (this.version += 1) });
      if (left) this.unanswered = left;
      if (changed && act.what === 'short rotation') this.graceMs = act.graceMs;
      return outcome;
    };
    const transaction = async <T>(_id: string, work: (transaction: AccountTransaction) => Promise<T>): Promise<T> => {
      const turn = this.lastTransaction.then(() => transact(work));
      this.lastTransaction = turn.catch(() => undefined);
      const outcome = await turn;
      if (!this.has('the wait begins at the end of the transaction')) this.startedAt = this.time.now - act.delays[1]!;
      await this.step(instance, act.delays[2]!);
      if ('error' in outcome) throw outcome.error;
      return outcome.value as T;
    };
    return { transaction } as unknown as Accounts;
  }

  /** Where the wait would begin if it began too early. */
  private startedAt: number | undefined;

  private instances(act: Act, instance: Instance): Instances {
    const isAway = () => {
      const { from, ms } = this.schedule.outage;
      return this.time.now >= from && this.time.now < from + ms;
    };
    const early = this.longest(this.serverTime() - 15 * MINUTE);
    return {
      longestLeaseMs: async () => {
        await this.step(instance, act.delays[3]!);
        if (isAway()) {
          if (!this.has('a change waits 2.2 s where the processes can not be read')) return 0;
          throw new LatchkeyError('unavailable', 'away');
        }
        if (!this.has('the longest LEASE_MS of all processes counts')) return instance.leaseMs;
        if (!this.has('the processes are read after the commit')) return early;
        const minutes = this.has('changes count rows for longer than leases do') ? 15 : 10;
        return this.longest(this.serverTime() - minutes * MINUTE);
      },
      clear: async ([change]) => {
        await this.step(instance, 1);
        if (isAway()) throw new LatchkeyError('unavailable', 'away');
        if (!this.has('a waiter clears its own change only') || this.unanswered === change!.changeId)
          this.unanswered = undefined;
      },
    };
  }

  private clockOf(instance: Instance) {
    const { monotonicRate } = instance;
    const share = this.has('a change waits for 110 % of the longest lease') ? 1 : 1 / 1.1;
    return {
      nowMs: () => (this.startedAt ?? this.time.now) * monotonicRate,
      until: async (ms: number) => {
        const from = this.startedAt ?? this.time.now;
        this.startedAt = undefined;
        await this.step(instance, Math.max(0, (ms / monotonicRate - from) * share + from - this.time.now));
      },
    };
  }
}
