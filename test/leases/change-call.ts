import type { ChangeWait } from '../../src/domain/leases/change-wait.js';
import type { Registration } from '../../src/domain/leases/registration.js';
import type { AccountRow } from './postgres.js';
import type { Model, Process } from './model.js';

export const CHANGES = [
  'revoke',
  'suspend',
  'take permissions',
  'add permissions',
  'limit access',
  'set attributes',
  'rotate',
  'purge',
  'reactivate',
] as const;
export type Change = (typeof CHANGES)[number];

interface Committed {
  readonly version: number;
  readonly timeline: number;
  readonly complete: number | undefined;
  readonly wait: ChangeWait;
  /** The new key of a rotation, which only its answer contains. */
  readonly successor: string | undefined;
}

/** One call that changes a key or an account, or that finds nothing to change. */
export class ChangeCall {
  private wait: ChangeWait | undefined;
  private version = 0;
  private successor: string | undefined;
  private timeline = 0;
  private answersFromMs = 0;
  /** What a wrong order of steps leaves behind. */
  private readBefore: readonly Registration[] | undefined;
  private sentBefore: string | undefined;
  private readonly earlier: string[] = [];
  private isReading = false;
  private timerAtMs = 0;
  private isOver = false;
  private readonly changeId: string;

  constructor(
    private readonly world: Model,
    readonly process: Process,
    private readonly ownerId: string,
    private readonly change: Change,
  ) {
    this.changeId = world.newId('change');
  }

  run(): void {
    const { world, process } = this;
    const work = (done: (result: Committed) => void) => this.transaction(done);
    world.transact(process, work, (result) => {
      if (!result) return world.note(`${process.name} answers ${this.change} of ${this.ownerId}: UNAVAILABLE`);
      const now = process.machine.monotonic();
      const { wait, timeline, complete } = result;
      this.answersFromMs = process.watch.answersFrom(timeline, complete, now);
      wait.committed(now, this.answersFromMs);
      world.waiting.add(this);
      this.wait = wait;
      this.version = result.version;
      this.successor = result.successor;
      this.timeline = timeline;
      const { wrong } = world.parts;
      const isEarly = wrong === 'the row is deleted before the wait' || wrong === 'the wait ends with the caller';
      if (isEarly && wait.insertsRow) this.writeRows([this.changeId], 0, () => undefined);
      if (wrong === 'the timeline is written at once') this.writeRows([], this.answersFromMs, () => undefined);
      if (wrong === 'the wait ends with the caller' && wait.insertsRow) return;
      this.drive();
    });
  }

  private transaction(done: (result: Committed) => void): void {
    const { world, ownerId } = this;
    const { postgres, parts } = world;
    const pendingOf = () =>
      postgres.rows.pending.filter((each) => each.ownerId === ownerId).map(({ changeId }) => changeId);
    const before = pendingOf();
    postgres.lock(ownerId, () => {
      const pending = parts.wrong === 'pending rows are read before the lock' ? before : pendingOf();
      const { complete } = postgres.rows;
      const { timeline } = postgres;
      if (complete === undefined) postgres.readEmptyTimeline(this);
      const account = postgres.account(ownerId);
      const changed = changedBy(this.change, account, world);
      const seesChange = changed !== undefined && !parts.waitsNotFor.includes(this.change);
      const wait = new parts.ChangeWait(this.changeId, {
        isChange: seesChange,
        hasTimeline: complete !== undefined,
        pending,
      });
      if (parts.wrong === 'the clock is started before the commit') wait.committed(this.process.machine.monotonic());
      const { registrations } = postgres.rows;
      if (parts.wrong === 'registrations are read before the commit') this.readBefore = registrations;
      if (parts.wrong === 'the notification is sent before the commit') this.notify();
      world.repeat(ownerId, this.change);
      world.inDatabase(world.transactionMs(), () => {
        if (changed) {
          const row = { changeId: this.changeId, ownerId };
          const rows = wait.insertsRow ? [...postgres.rows.pending, row] : postgres.rows.pending;
          postgres.commit({
            accounts: postgres.rows.accounts.map((each) => (each.id === ownerId ? changed : each)),
            pending: rows,
          });
          world.note(`${this.change} of ${ownerId} by ${this.process.name} is committed, version ${changed.version}`);
          world.repeat(ownerId, this.change);
          world.moment(ownerId);
        }
        postgres.release(ownerId);
        postgres.endOfTransaction(this);
        const successor = changed && this.change === 'rotate' ? changed.keys.at(-1)!.id : undefined;
        done({ version: (changed ?? account).version, timeline, complete, wait, successor });
      });
    });
  }

  /** The notification with this id, from the registration with that id, has arrived. */
  acknowledged(registrationId: string, notificationId: string): void {
    if (notificationId === this.sentBefore) this.earlier.push(registrationId);
    this.wait?.acknowledge(registrationId, notificationId);
    this.drive();
  }

  private readRegistrations(wait: ChangeWait): { notificationId: string } {
    const notificationId = this.sentBefore ?? this.notify();
    wait.read(this.readBefore ?? this.world.postgres.rows.registrations, notificationId);
    for (const registrationId of this.earlier) wait.acknowledge(registrationId, notificationId);
    return { notificationId };
  }

  private notify(): string {
    const { world } = this;
    const notificationId = world.newId('notification');
    if (world.parts.wrong === 'the notification is sent before the commit') {
      this.sentBefore = notificationId;
      world.waiting.add(this);
    }
    world.notify({ notificationId, ownerId: world.choices.chance(4) ? undefined : this.ownerId });
    return notificationId;
  }

  private drive(): void {
    const { world, process, wait } = this;
    if (this.isOver || this.isReading || !wait) return;
    const step = wait.step(process.machine.monotonic());
    if (step.next === 'read-registrations') {
      this.isReading = true;
      const statement = () => this.readRegistrations(wait);
      world.query(
        process,
        statement,
        (result) => {
          this.isReading = false;
          if (result) return this.drive();
          this.isOver = true;
          if (world.parts.wrong === 'a failed read finds nobody') return this.finish([]);
          world.note(`${process.name} answers ${this.change} of ${this.ownerId}: UNAVAILABLE`);
        },
        this.timeline,
      );
    } else if (step.next === 'wait') {
      if (this.timerAtMs === step.untilMs) return;
      this.timerAtMs = step.untilMs;
      process.machine.atMonotonic(step.untilMs, () => this.drive());
    } else {
      this.isOver = true;
      world.waiting.delete(this);
      this.finish(step.deletedRows);
    }
  }

  private finish(deletedRows: readonly string[]): void {
    const { world } = this;
    const answer = () => {
      world.note(`${this.process.name} answers ${this.change} of ${this.ownerId}, version ${this.version}`);
      if (this.successor) world.knownKeys.add(this.successor);
      world.answered(this.ownerId, this.version);
    };
    if (deletedRows.length === 0 && this.answersFromMs === 0) answer();
    else this.writeRows(deletedRows, this.answersFromMs, answer);
  }

  private writeRows(deletedRows: readonly string[], answersFromMs: number, then: () => void): void {
    const { world } = this;
    const statement = () => {
      const { rows } = world.postgres;
      const pending = rows.pending.filter(({ changeId }) => !deletedRows.includes(changeId));
      world.postgres.commit({ pending, complete: answersFromMs > 0 ? this.timeline : rows.complete });
      return true;
    };
    world.query(this.process, statement, then);
  }
}

/** The account after the change. Undefined: it changes nothing, and the call states what it found. */
function changedBy(change: Change, account: AccountRow, world: Model): AccountRow | undefined {
  const now = world.postgres.clock;
  const key = account.keys.at(-1)!;
  const changed = (part: Partial<AccountRow>) => ({
    ...account,
    ...part,
    version: world.checker.newVersion(account.id),
  });
  switch (change) {
    case 'revoke': {
      if (key.revokedAt) return undefined;
      return changed({ keys: account.keys.map((each) => (each === key ? { ...each, revokedAt: now } : each)) });
    }
    case 'suspend':
      return account.status === 'active' ? changed({ status: 'suspended' }) : undefined;
    case 'reactivate':
      return account.status === 'suspended' ? changed({ status: 'active' }) : undefined;
    case 'take permissions':
      return account.permissions.length > 1 ? changed({ permissions: account.permissions.slice(0, 1) }) : undefined;
    case 'add permissions': {
      if (account.permissions.includes('users:read')) return undefined;
      return changed({ permissions: [...account.permissions, 'users:read'] });
    }
    case 'limit access':
      return account.limits.maxAccess ? undefined : changed({ limits: { maxAccess: 'read-only' } });
    case 'set attributes': {
      const value = `${account.attributes.length}`;
      return account.attributes.length > 1
        ? undefined
        : changed({ attributes: [...account.attributes, { name: 'plan', value }] });
    }
    case 'rotate': {
      const isBusy = key.revokedAt || key.graceSeconds !== null || key.awaitsFirstUse || account.keys.length > 2;
      if (isBusy || account.status !== 'active') return undefined;
      const old = { ...key, graceSeconds: world.choices.pick([1, 0]) };
      const successor = { ...key, id: world.newId(`successor of ${key.id},`), replaces: key.id, awaitsFirstUse: true };
      return changed({ keys: [...account.keys.slice(0, -1), old, successor] });
    }
    case 'purge': {
      if (account.status === 'deleted') return undefined;
      const keys = account.keys.map((each) => ({ ...each, revokedAt: each.revokedAt ?? now }));
      return changed({ status: 'deleted', permissions: [], keys });
    }
  }
}
