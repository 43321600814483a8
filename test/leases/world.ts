import type { Recall } from '../../src/domain/leases/giving.js';
import { isOverdue, type Registration } from '../../src/domain/leases/registration.js';
import { ChangeCall, type Change, CHANGES } from './change-call.js';
import { Checker, type ModelRequest } from './checker.js';
import type { Choices } from './choices.js';
import { Guard } from './guard.js';
import { Instance } from './instance.js';
import type { Model, Process, Waiting } from './model.js';
import type { Parts } from './parts.js';
import { type AccountRow, type KeyRow, Postgres } from './postgres.js';
import { Machine, VirtualTime } from './virtual-time.js';

interface OpenCall {
  fail(): void;
}

const RATES = [1, 1.01, 0.99] as const;
const ALL_RESTRICTIONS: ReadonlySet<string> = new Set(['networks', 'permissions']);

type Fault = (typeof FAULTS)[number];
const FAULTS = [
  'break',
  'pause',
  'suspend',
  'wall',
  'restart',
  'guard',
  'promote',
  'fence',
  'renew',
  'join',
  'clean',
] as const;

/** Schedules that try a few things often find more than schedules that try everything rarely. Each number is a percentage. */
interface Theme {
  readonly faults: readonly Fault[];
  /** Schedules without a registration at the start, and those among them in which there was one before. */
  readonly unregistered: number;
  readonly usedBefore: number;
  readonly late: number;
  readonly failed: number;
  readonly slowCommits: number;
  /** Instances that cannot listen. */
  readonly deaf: number;
  /** Notifications that are lost. */
  readonly unheard: number;
  /** What happens soon after something that matters. */
  readonly soon: number;
  readonly repeats: number;
  readonly leaseMs: readonly number[];
}
const ANYTHING: Theme = {
  faults: FAULTS,
  unregistered: 10,
  usedBefore: 50,
  late: 6,
  failed: 1,
  slowCommits: 10,
  deaf: 4,
  unheard: 4,
  soon: 15,
  repeats: 20,
  leaseMs: [1000, 100, 300, 2000, 10_000],
};
const THEMES = {
  anything: ANYTHING,
  late: { ...ANYTHING, late: 15, failed: 4 },
  streams: { ...ANYTHING, late: 0, failed: 0, slowCommits: 40, faults: ['break', 'pause', 'guard'] },
  first: {
    ...ANYTHING,
    unregistered: 100,
    usedBefore: 50,
    slowCommits: 80,
    deaf: 90,
    soon: 40,
    repeats: 60,
    faults: ['join', 'restart', 'renew'],
  },
  fences: {
    ...ANYTHING,
    unregistered: 50,
    late: 10,
    failed: 10,
    deaf: 95,
    soon: 80,
    faults: ['fence', 'fence', 'promote'],
  },
  promotions: {
    ...ANYTHING,
    unregistered: 100,
    usedBefore: 100,
    deaf: 95,
    soon: 80,
    faults: ['promote'],
    leaseMs: [10_000, 2000],
  },
  clocks: { ...ANYTHING, unheard: 30, faults: ['suspend', 'wall', 'pause'] },
} satisfies Record<string, Theme>;
export type ThemeName = keyof typeof THEMES;
const THEME_NAMES = Object.keys(THEMES) as ThemeName[];

/** One schedule: the processes, PostgreSQL between them, and what happens to them. */
export class World implements Model {
  readonly time = new VirtualTime();
  readonly postgres: Postgres;
  readonly checker: Checker;
  readonly instances: Instance[] = [];
  readonly waiting = new Set<Waiting>();
  /** Those whose key string somebody has. */
  readonly knownKeys = new Set<string>();
  /** Of the limiter that all instances share. */
  readonly tats = new Map<string, number>();
  readonly leaseMs: number;
  readonly story: string[] | undefined;
  private readonly guards: Guard[] = [];
  private readonly changers: Process[] = [];
  private readonly calls = new Set<OpenCall>();
  private readonly lastId = new Map<string, number>();
  private readonly theme: Theme;
  private repeats = 0;
  private moments = 0;
  private slept = new Set<Process>();

  constructor(
    readonly choices: Choices,
    readonly parts: Parts,
    { hasStory = false, theme }: { readonly hasStory?: boolean; readonly theme?: ThemeName | undefined } = {},
  ) {
    this.story = hasStory ? [] : undefined;
    this.theme = THEMES[theme ?? choices.pick(THEME_NAMES)];
    this.leaseMs = choices.pick(this.theme.leaseMs);
    const owners = ['Ann', 'Bob'];
    const isRegistered = !choices.chance(this.theme.unregistered);
    const count = choices.chance(40) ? 2 : 1;
    const lengths = Array.from({ length: count }, () => (choices.chance(20) ? this.leaseMs / 2 : this.leaseMs));
    const leaseMsOf = lengths.map((each) => Math.max(100, each));
    const registrations: Registration[] = isRegistered
      ? leaseMsOf.map((leaseMs, index) => ({
          id: `of instance ${index + 1}`,
          leaseMs,
          renewedAt: new Date(1_000_000),
          fence: null,
        }))
      : [];
    const accounts = owners.map((id) => this.account(id));
    const wasUsed = isRegistered || choices.chance(this.theme.usedBefore);
    const rows = { accounts, registrations, pending: [], complete: wasUsed ? 1 : undefined };
    this.postgres = new Postgres(this.time, rows, choices.pick(RATES));
    this.checker = new Checker(this.time, this.postgres, this.leaseMs);
    for (const [index, leaseMs] of leaseMsOf.entries()) this.join(leaseMs, registrations[index]?.id);
    for (let index = 0; index <= choices.below(2); index += 1) {
      const isOld = choices.chance(15);
      const process = this.process(`guard ${index + 1}`);
      this.guards.push(new Guard(this, process, isOld ? new Set() : ALL_RESTRICTIONS, this.instances));
    }
    this.changers.push(this.process('the command line'));
  }

  run(): this {
    const { choices, leaseMs } = this;
    const horizon = 2.5 * leaseMs;
    for (let left = 2 + choices.below(5); left > 0; left -= 1) this.requestAt(choices.between(0, 0.6 * leaseMs));
    for (let left = choices.below(4); left > 0; left -= 1) this.requestAt(choices.between(0, horizon));
    for (let left = 1 + choices.below(2); left > 0; left -= 1) {
      this.changeAt(choices.between(0, 1.5 * leaseMs), choices.pick(CHANGES), this.anyOwner());
    }
    for (let left = choices.below(5); left > 0; left -= 1) {
      this.time.at(choices.between(0, 1.2 * leaseMs), () => this.fault());
    }
    this.time.runAll();
    return this;
  }

  /** What happened, for a person to read. */
  note(text: string): void {
    this.story?.push(`${this.time.now.toFixed(1).padStart(9)} ms  ${text}`);
  }

  newId(kind: string): string {
    const next = (this.lastId.get(kind) ?? 0) + 1;
    this.lastId.set(kind, next);
    return `${kind} ${next}`;
  }

  /** Mostly short, sometimes longer than a lease. */
  latency(): number {
    const chosen = this.choices.below(100);
    const short = 100 - this.theme.late;
    return chosen < short ? 0.1 + chosen * 0.02 : (1.3 * (chosen - short + 1) * this.leaseMs) / this.theme.late;
  }

  /** How long a transaction is open. */
  transactionMs(): number {
    return this.choices.between(0.2, this.choices.chance(this.theme.slowCommits) ? this.leaseMs : 3);
  }

  /** Something happened after which a fault, a request or a change is likely to matter. */
  moment(ownerId: string): void {
    const { choices, leaseMs } = this;
    if (this.moments >= 6 || !choices.chance(this.theme.soon)) return;
    this.moments += 1;
    const at = this.time.now + choices.between(0, choices.chance(50) ? leaseMs : 3);
    const kind = choices.below(4);
    if (kind === 0) this.time.at(at, () => this.fault());
    else if (kind === 1) this.requestAt(at, ownerId);
    else this.changeAt(at, choices.pick(CHANGES), ownerId);
  }

  /** @param timeline of the server that must answer. Otherwise it is the present one */
  query<T>(process: Process, statement: () => T, then: (result: T | undefined) => void, timeline?: number): void {
    this.transact(process, (done: (result: T) => void) => done(statement()), then, timeline);
  }

  /** A transaction. The call fails if its server is replaced, if its message is late or if the answer is lost. */
  transact<T>(
    process: Process,
    work: (done: (result: T) => void) => void,
    then: (result: T | undefined) => void,
    timeline = this.postgres.timeline,
  ): void {
    let isOver = false;
    const settle = (afterMs: number, result: T | undefined) => {
      if (isOver) return;
      isOver = true;
      this.calls.delete(call);
      process.machine.in(afterMs, () => then(result));
    };
    const call = { fail: () => settle(1, undefined) };
    this.calls.add(call);
    this.time.at(this.time.now + this.latency(), () => {
      if (timeline !== this.postgres.timeline) call.fail();
      else work((result) => settle(this.latency(), this.choices.chance(this.theme.failed) ? undefined : result));
    });
  }

  /** A later moment of a transaction, on the same server. */
  inDatabase(ms: number, run: () => void): void {
    const { timeline } = this.postgres;
    this.time.at(this.time.now + ms, () => {
      if (timeline === this.postgres.timeline) run();
    });
  }

  notify(recall: Recall): void {
    for (const instance of this.instances) {
      if (!instance.hears || this.choices.chance(this.theme.unheard)) continue;
      for (let copies = this.choices.chance(3) ? 2 : 1; copies > 0; copies -= 1) {
        instance.process.machine.in(this.latency(), () => instance.notified(recall));
      }
    }
  }

  acknowledge(from: Process, registrationId: string, notificationId: string): void {
    this.note(`${from.name} acknowledges ${notificationId} as ${registrationId}`);
    if (this.choices.chance(3)) return;
    for (const call of this.waiting) {
      call.process.machine.in(this.latency(), () => call.acknowledged(registrationId, notificationId));
    }
  }

  /** Somebody makes the same call before the first one is answered. */
  repeat(ownerId: string, change: Change): void {
    if (this.repeats >= 2 || !this.choices.chance(this.theme.repeats)) return;
    this.repeats += 1;
    this.changeAt(
      this.time.now + this.choices.between(0, this.choices.chance(50) ? 0.5 * this.leaseMs : 3),
      change,
      ownerId,
    );
  }

  /** Requests start at once. */
  answered(ownerId: string, version: number): void {
    this.checker.answerChange(ownerId, version);
    const waits = [0.001, 0.001 + this.choices.between(0, 0.5 * this.leaseMs)];
    for (const guard of this.guards) {
      for (const { id } of this.keysOf(ownerId)) {
        for (const waitMs of waits) guard.process.machine.in(waitMs, () => guard.check(this.request(ownerId, id)));
      }
    }
  }

  private account(id: string): AccountRow {
    const { choices } = this;
    const endsInMs = choices.chance(20) ? choices.between(0, 2 * this.leaseMs) : 1e9;
    const key = {
      id: `${id}'s key`,
      expiresAt: new Date(1_000_000 + endsInMs),
      revokedAt: null,
      endsAt: null,
      subset: choices.chance(20) ? ['systems:write'] : null,
      networks: choices.chance(20) ? ['10.0.0.0/8'] : null,
      graceSeconds: null,
      replaces: null,
      awaitsFirstUse: false,
    };
    const permissions = ['systems:read', 'systems:write'];
    this.knownKeys.add(key.id);
    return { id, version: 0, status: 'active', permissions, limits: {}, attributes: [], keys: [key] };
  }

  private process(name: string): Process {
    const { choices, parts } = this;
    const machine = new Machine(this.time, name, choices.pick(RATES), choices.pick(RATES));
    return { name, machine, watch: new parts.TimelineWatch() };
  }

  private join(leaseMs: number, registered?: string): void {
    const process = this.process(`instance ${this.instances.length + 1}`);
    this.changers.push(process);
    this.instances.push(new Instance(this, process, leaseMs, registered, !this.choices.chance(this.theme.deaf)));
  }

  private keysOf(ownerId: string): readonly KeyRow[] {
    return this.postgres.account(ownerId).keys.filter(({ id }) => this.knownKeys.has(id));
  }

  private anyOwner(): string {
    return this.choices.chance(25) ? 'Bob' : 'Ann';
  }

  private request(ownerId: string, keyId: string): ModelRequest {
    const { choices } = this;
    const hasSecret = !choices.chance(4);
    const operation = choices.pick(['read', 'read', 'read', 'write', 'destroy'] as const);
    const permission = choices.pick([
      'systems:read',
      'systems:read',
      '',
      'systems/42:read',
      'systems:write',
      'users:read',
    ]);
    const clientAddress = choices.pick(['10.1.2.3', '10.1.2.3', '10.1.2.3', '192.0.2.1', null]);
    return { ownerId, keyId, hasSecret, question: { operation, permission, clientAddress } };
  }

  private requestAt(at: number, ownerId = this.anyOwner()): void {
    const guard = this.choices.pick(this.guards);
    this.time.at(at, () => {
      const key = this.choices.pick(this.keysOf(ownerId));
      for (let left = this.choices.chance(15) ? 6 : 1; left > 0; left -= 1) {
        guard.process.machine.in(left * 3, () => guard.check(this.request(ownerId, key.id)));
      }
    });
  }

  private changeAt(at: number, change: Change, ownerId: string): void {
    const process = this.choices.pick(this.changers);
    const call = new ChangeCall(this, process, ownerId, change);
    this.time.at(at, () => process.machine.in(0, () => call.run()));
  }

  private fault(): void {
    const { choices, leaseMs } = this;
    const instance = choices.pick(this.instances);
    const guard = choices.pick(this.guards);
    switch (choices.pick(this.theme.faults)) {
      case 'break': {
        const streams = [...instance.streams];
        if (streams.length > 0) {
          const both = ['toGuard', 'toInstance'] as const;
          const directions = choices.pick([both, [both[0]], [both[1]]]);
          this.note(`a stream between ${instance.process.name} and a guard breaks: ${directions.join(', ')}`);
          choices.pick(streams).break(directions);
        }
        return;
      }
      case 'pause': {
        const { name, machine } = choices.pick([guard.process, ...this.changers]);
        const ms = choices.between(1, 1.5 * leaseMs);
        this.note(`${name} is paused for ${ms.toFixed(0)} ms`);
        return machine.pause(ms);
      }
      case 'suspend':
        return this.suspend(choices.pick([guard.process, ...this.changers]));
      case 'wall':
        return this.setWall(choices.pick([guard.process, instance.process]));
      case 'restart':
        return instance.restart();
      case 'guard':
        return guard.restart();
      case 'promote':
        return this.promote();
      case 'fence':
        return this.fence(choices.pick(this.changers));
      case 'renew':
        return instance.renew();
      case 'join':
        return this.join(leaseMs);
      default:
        for (const each of this.instances) each.removeEnded();
        for (const each of this.guards) each.removeEnded();
    }
  }

  /** The wall clock may be set back in the meantime, by clearly less than the machine slept. */
  private suspend(process: Process): void {
    if (this.slept.has(process)) return;
    this.slept.add(process);
    const ms = this.choices.between(1, 2 * this.leaseMs);
    const most = ms - 60 - 0.02 * this.leaseMs;
    const backMs = most > 0 && this.choices.chance(40) ? this.choices.between(most, most / 2) : 0;
    this.note(
      `the machine of ${process.name} sleeps ${ms.toFixed(0)} ms, its wall clock is set back ${backMs.toFixed(0)}`,
    );
    process.machine.suspend(ms, -backMs);
  }

  private setWall(process: Process): void {
    if (this.slept.has(process)) return;
    this.slept.add(process);
    const ms = this.choices.between(-this.leaseMs, this.leaseMs);
    this.note(`the wall clock of ${process.name} is set by ${ms.toFixed(0)} ms`);
    process.machine.setWall(ms);
  }

  private promote(): void {
    const missing = Math.min(this.choices.below(4), this.postgres.commits);
    this.postgres.promote(missing);
    this.checker.forgetLost();
    this.note(`a standby is promoted, without the last ${missing} commits`);
    for (const call of [...this.calls]) call.fail();
    this.moment('Ann');
  }

  /** Anyone may fence a registration, also its own. */
  private fence(process: Process): void {
    const { postgres, parts } = this;
    const fence = this.newId('fence');
    const sentAtMs = process.machine.monotonic();
    const statement = () => {
      const { registrations } = postgres.rows;
      const open = registrations.filter((each) => isOverdue(each, postgres.clock) || each.fence === null);
      if (open.length === 0) return {};
      const chosen = this.choices.pick(open);
      const fenced = registrations.map((each) => (each === chosen ? { ...each, fence } : each));
      postgres.commit({ registrations: fenced });
      this.note(`${process.name} fences ${chosen.id}`);
      if (this.choices.chance(this.theme.soon)) {
        this.requestAt(this.time.now + this.choices.between(0.5, 1.02) * chosen.leaseMs, 'Ann');
        if (this.choices.chance(30)) this.time.at(this.time.now + this.choices.between(0, 3), () => this.promote());
      }
      return { chosen };
    };
    this.query(process, statement, (result) => {
      const { chosen } = result ?? {};
      if (!chosen) return;
      const { machine } = process;
      const fencedAtMs = parts.wrong === 'a fence counts before its commit' ? sentAtMs : machine.monotonic();
      machine.atMonotonic(parts.deletableFrom(chosen, fencedAtMs), () => {
        const deletion = () => {
          const { registrations } = postgres.rows;
          const found = registrations.find(({ id }) => id === chosen.id);
          if (!parts.isDeletable(found, fence)) return;
          this.note(`${process.name} deletes ${chosen.id}`);
          postgres.commit({ registrations: registrations.filter((each) => each !== found) });
          if (this.choices.chance(this.theme.soon)) {
            this.changeAt(this.time.now + this.choices.between(0, 5), this.choices.pick(CHANGES), 'Ann');
          }
        };
        this.query(process, deletion, () => undefined);
      });
    });
  }
}
