import { type LeasedKey } from '../../src/domain/leases/lease-length.js';
import { mayGive, type Registration } from '../../src/domain/leases/registration.js';
import type { Batch, FoundKey, LeaseRequest, Recall } from '../../src/domain/leases/giving.js';
import { gcra } from '../../src/domain/rate-limit.js';
import { LIMIT, type ModelGrant, type ModelRequest } from './checker.js';
import { type AccountRow, type KeyRow, standingOf } from './postgres.js';
import type { Model, Process } from './model.js';

export interface Attempt extends LeaseRequest<Stream> {
  readonly request: ModelRequest;
  readonly usesWanted: number;
  readonly answer: (answer: Answer) => void;
  /** Sends to the guard, over the stream or as the answer of a unary call. */
  readonly reply: (deliver: () => void) => void;
}

export interface Answer {
  readonly grant: ModelGrant | undefined;
  readonly leased?: ModelGrant;
  readonly lease: { readonly id: number; readonly lengthMs: number; readonly uses: number } | undefined;
}

/** Both directions of one stream. Messages arrive in the order in which they were sent, until it breaks. */
export class Stream {
  private readonly arrivals = { toGuard: 0, toInstance: 0 };
  private readonly broken = { toGuard: false, toInstance: false };

  constructor(
    private readonly world: Model,
    readonly instance: Instance,
    readonly guard: Process,
    private readonly onRecall: (stream: Stream, ids: readonly number[]) => void,
  ) {}

  get isBroken(): boolean {
    return this.broken.toGuard || this.broken.toInstance;
  }

  /** Also messages that have not arrived yet are lost. */
  break(directions: readonly ('toGuard' | 'toInstance')[]): void {
    for (const direction of directions) this.broken[direction] = true;
  }

  send(direction: 'toGuard' | 'toInstance', receive: () => void): void {
    const { time } = this.world;
    const at = Math.max(this.arrivals[direction] + 0.001, time.now + this.world.latency());
    this.arrivals[direction] = at;
    const receiver = direction === 'toGuard' ? this.guard : this.instance.process;
    const deliver = () => {
      if (!this.broken[direction]) receive();
    };
    receiver.machine.in(at - time.now, deliver);
  }

  recall(ids: readonly number[]): void {
    this.send('toGuard', () => this.onRecall(this, ids));
  }
}

/** A process that validates and gives leases. */
export class Instance {
  private giving;
  private own: string | undefined;
  private isRegistering = false;
  private pending: Attempt[] = [];
  private flying: { batch: Batch; attempts: Attempt[] } | undefined;
  private isWaiting = false;
  readonly streams = new Set<Stream>();

  constructor(
    private readonly world: Model,
    readonly process: Process,
    private readonly leaseMs: number,
    registered: string | undefined,
    private readonly listens: boolean,
  ) {
    this.giving = new world.parts.Giving();
    this.own = registered;
    if (!registered) process.machine.in(world.choices.between(0, world.leaseMs), () => this.register());
  }

  register(): void {
    const { world } = this;
    if (this.isRegistering) return;
    this.isRegistering = true;
    const reused = world.parts.wrong === 'a restart keeps the id' ? `of ${this.process.name}` : undefined;
    const id = reused ?? world.newId('registration');
    const work = (done: (result: true | undefined) => void) => {
      const { postgres } = world;
      const insert = () => {
        const registration = { id, leaseMs: this.leaseMs, renewedAt: postgres.clock, fence: null };
        const others = postgres.rows.registrations.filter((each) => each.id !== id);
        const complete = postgres.rows.complete ?? postgres.timeline;
        postgres.commit({ registrations: [...others, registration], complete });
        world.note(`${this.process.name} is registered as ${id}, LEASE_MS=${this.leaseMs}`);
        done(true);
      };
      const isFirst = postgres.rows.complete === undefined;
      if (isFirst && world.parts.wrong !== 'the first registration does not lock')
        postgres.whenNoneFoundItEmpty(insert);
      else insert();
    };
    world.transact(this.process, work, (done) => {
      this.isRegistering = false;
      if (done) this.own = id;
    });
  }

  renew(): void {
    const { world, own } = this;
    if (!own) return this.register();
    const statement = () => {
      const registrations = world.postgres.rows.registrations.map((each) =>
        each.id === own ? { ...each, renewedAt: world.postgres.clock } : each,
      );
      world.postgres.commit({ registrations });
      return { found: registrations.find(({ id }) => id === own) };
    };
    world.query(this.process, statement, (result) => {
      if (result && !mayGive(result.found)) this.register();
    });
  }

  /** The process is killed and a new one is started on the same machine. */
  restart(): void {
    this.world.note(`${this.process.name} is killed and starts again`);
    this.process.machine.stop();
    for (const stream of this.streams) stream.break(['toGuard', 'toInstance']);
    this.giving = new this.world.parts.Giving();
    [this.own, this.isRegistering, this.pending, this.flying, this.isWaiting] = [
      undefined,
      false,
      [],
      undefined,
      false,
    ];
    this.register();
  }

  arrive(attempt: Attempt): void {
    if (this.flying && this.world.parts.wrong === 'a request joins a statement that was sent') {
      this.flying.attempts.push({ ...attempt, arrivedAtMs: this.flying.batch.sentAtMs });
      return;
    }
    this.pending.push(attempt);
    if (this.pending.length === 1) this.process.machine.in(this.world.choices.between(0, 2), () => this.sendBatch());
  }

  private sendBatch(): void {
    const { world, own } = this;
    const attempts = this.pending;
    this.pending = [];
    const batch = this.giving.send(this.process.machine.monotonic());
    const flying = { batch, attempts };
    this.flying = flying;
    const read = () => ({ rows: world.postgres.rows, now: world.postgres.clock });
    world.query(this.process, read, (result) => {
      if (result) {
        const standing = result.rows.registrations.find(({ id }) => id === own);
        if (!mayGive(standing)) this.register();
        const later = world.postgres.rows.registrations.find(({ id }) => id === this.own);
        const registration = world.parts.wrong === 'the registration is read after the keys' ? later : standing;
        for (const attempt of flying.attempts)
          this.answer(attempt, batch, result.rows.accounts, registration, result.now);
      } else for (const attempt of flying.attempts) this.fail(attempt);
      this.giving.end(batch);
      if (this.flying === flying) this.flying = undefined;
    });
  }

  private fail({ reply, answer }: Attempt): void {
    reply(() => answer({ grant: undefined, lease: undefined }));
  }

  private answer(
    attempt: Attempt,
    batch: Batch,
    accounts: readonly AccountRow[],
    own: Registration | undefined,
    now: Date,
  ): void {
    const { world } = this;
    const { request, reply, answer } = attempt;
    const account = accounts.find(({ id }) => id === request.ownerId)!;
    const key = account.keys.find(({ id }) => id === request.keyId);
    if (!key || !request.hasSecret) return this.fail(attempt);
    const standing = standingOf(account, key);
    const nowMicros = world.time.now * 1000;
    const { tat, decision } = gcra(LIMIT, world.tats.get(key.id), nowMicros);
    world.tats.set(key.id, tat);
    const verdict = standing.judge(request.question, decision.admitted, now);
    const isGranted = verdict.granted || (world.parts.wrong === 'a refusal brings a lease' && decision.admitted);
    if (!isGranted) return this.fail(attempt);
    const early = world.parts.wrong === 'a lease before the first use is recorded';
    const found = foundKey(account, early ? { ...key, awaitsFirstUse: false } : key, own, now);
    const lease = this.leaseFor(attempt, batch, found);
    const grant = verdict.granted ? { account, key } : undefined;
    const send = () => {
      if (lease) world.note(`${this.process.name} gives lease ${lease.id} on ${key.id}, version ${account.version}`);
      if (lease) world.moment(account.id);
      const deliver = () => answer({ grant, leased: { account, key }, lease });
      reply(deliver);
      if (attempt.stream && world.choices.chance(3)) reply(deliver);
    };
    if (verdict.granted && key.awaitsFirstUse && !(early && lease)) this.recordFirstUse(attempt, account, key, send);
    else send();
  }

  private leaseFor(attempt: Attempt, batch: Batch, found: FoundKey & { keyId: string }): Answer['lease'] {
    const { world } = this;
    const { parts } = world;
    const lengthMs = parts.lengthToGive(attempt, found);
    if (lengthMs === undefined) return undefined;
    const nowMicros = world.time.now * 1000;
    const { tat, uses } = parts.chargeAhead(LIMIT, world.tats.get(found.keyId)!, nowMicros, attempt.usesWanted);
    if (uses === 0) return undefined;
    const id = this.giving.give(found.ownerId, lengthMs, attempt, batch);
    if (id === undefined) return undefined;
    world.tats.set(found.keyId, tat);
    return { id, lengthMs, uses };
  }

  /** Under the account's lock, and before the answer. */
  private recordFirstUse({ request }: Attempt, { id }: AccountRow, { replaces }: KeyRow, send: () => void): void {
    const { world } = this;
    const work = (done: (result: true | undefined) => void) => {
      world.postgres.lock(id, () => {
        const account = world.postgres.account(id);
        const successor = account.keys.find((each) => each.id === request.keyId);
        const isGood = successor && account.status === 'active' && !successor.revokedAt;
        if (isGood && successor.awaitsFirstUse) {
          const now = world.postgres.clock;
          const keys = account.keys.map((each) => {
            if (each === successor) return { ...each, awaitsFirstUse: false };
            if (each.id !== replaces || each.revokedAt) return each;
            const endsAt = new Date(now.getTime() + each.graceSeconds! * 1000);
            return each.graceSeconds === 0 ? { ...each, revokedAt: now } : { ...each, endsAt, graceSeconds: null };
          });
          world.postgres.commitAccount({ ...account, keys });
          world.checker.recordFirstUse(successor.id);
          world.note(`the first use of ${successor.id} is recorded`);
        }
        world.postgres.release(id);
        done(isGood ? true : undefined);
      });
    };
    world.transact(this.process, work, (isGood) => {
      if (isGood) send();
    });
  }

  get hears(): boolean {
    return this.listens;
  }

  /** @param acknowledge with the id of the registration that answers */
  notified(recall: Recall): void {
    const now = this.process.machine.monotonic();
    const { messages, acknowledged } = this.giving.recall(recall, now);
    for (const [stream, ids] of messages) {
      if (this.world.parts.wrong === 'a broken stream gives back' && (stream as Stream).isBroken) {
        this.givenBack(stream as Stream, ids);
      }
      const streams = this.world.parts.wrong === 'a recall is sent on another stream' ? [...this.streams] : [];
      const sentOn = streams.find((each) => each !== stream && each.guard === (stream as Stream).guard);
      (sentOn ?? (stream as Stream)).recall(ids);
    }
    this.acknowledge(acknowledged);
    this.watch();
  }

  givenBack(stream: Stream, ids: readonly number[]): void {
    const isAnyGood = this.world.parts.wrong === 'a recall is sent on another stream';
    for (const each of isAnyGood ? [...this.streams] : [stream]) {
      this.acknowledge(this.giving.giveBack(each, ids, this.process.machine.monotonic()));
    }
  }

  removeEnded(): void {
    this.giving.removeEnded(this.process.machine.monotonic());
  }

  private acknowledge(notificationIds: readonly string[]): void {
    for (const id of notificationIds) if (this.own) this.world.acknowledge(this.process, this.own, id);
  }

  private watch(): void {
    const endMs = this.giving.nextEndMs();
    if (endMs === undefined || this.isWaiting) return;
    this.isWaiting = true;
    this.process.machine.atMonotonic(endMs, () => {
      this.isWaiting = false;
      this.acknowledge(this.giving.acknowledged(this.process.machine.monotonic()));
      this.watch();
    });
  }
}

function foundKey(
  { id }: AccountRow,
  key: KeyRow & LeasedKey,
  own: Registration | undefined,
  now: Date,
): FoundKey & { keyId: string } {
  const restrictions = [...(key.networks ? ['networks'] : []), ...(key.subset ? ['permissions'] : [])];
  return { ...key, keyId: key.id, ownerId: id, restrictions, own, now };
}
