import type { KeyRights } from '../../src/domain/keys/key-rights.js';
import type { Question } from '../../src/domain/keys/verdict.js';
import type { ModelRequest, Started } from './checker.js';
import { type Answer, type Attempt, type Instance, Stream } from './instance.js';
import { standingOf } from './postgres.js';
import type { Model, Process } from './model.js';

const HARMLESS: Question = { operation: 'read', permission: 'systems:read', clientAddress: '10.1.2.3' };

/** A service with a guard. */
export class Guard {
  private held;
  private streams: Stream[] = [];

  constructor(
    private readonly world: Model,
    readonly process: Process,
    /** The restrictions that it judges by. */
    private readonly understands: ReadonlySet<string>,
    private readonly instances: readonly Instance[],
  ) {
    this.held = this.emptyHanded();
  }

  private emptyHanded() {
    const { parts } = this.world;
    const known = ({ allowedNetworks, hasSubset, ...rights }: KeyRights): KeyRights => ({
      ...rights,
      allowedNetworks: this.understands.has('networks') ? allowedNetworks : null,
      hasSubset: hasSubset && this.understands.has('permissions'),
    });
    // A small bound, so that leases are pushed out by others.
    return new parts.Held((rights: KeyRights, question: Question) => parts.allows(known(rights), question), 3);
  }

  restart(): void {
    this.world.note(`${this.process.name} is killed and starts again`);
    this.process.machine.stop();
    for (const stream of this.streams) stream.break(['toGuard', 'toInstance']);
    this.held = this.emptyHanded();
    this.streams = [];
  }

  removeEnded(): void {
    this.held.removeEnded(this.world.parts.readAtUse(this.process.machine));
  }

  check(request: ModelRequest): void {
    const { world, process } = this;
    const { parts, checker } = world;
    const started = checker.start(request);
    const digest = parts.wrong === 'another credential' || request.hasSecret ? request.keyId : 'a wrong secret';
    const grant = this.held.use(digest, request.question, parts.readAtUse(process.machine));
    if (grant) {
      world.note(`${process.name} grants ${request.keyId} by a lease, version ${grant.account.version}`);
      checker.grant(request, started, grant, true);
      return;
    }
    if (parts.wrong === 'a guard refuses' && this.held.use(digest, HARMLESS, parts.readAtUse(process.machine))) {
      return checker.refuse(true);
    }
    this.call(request, started, digest);
  }

  private call(request: ModelRequest, started: Started, digest: string): void {
    const { world, process } = this;
    const { parts, checker, choices } = world;
    let asked = this.held.ask(digest, parts.readBeforeCall(process.machine));
    let isSettled = false;
    const answered = (stream: Stream | undefined, { grant, leased, lease }: Answer) => {
      if (parts.wrong === 'the clocks are read when the answer arrives') {
        asked = this.held.ask(digest, parts.readBeforeCall(process.machine));
      }
      if (lease && leased) {
        const { rights } = standingOf(leased.account, leased.key);
        const store = () => this.held.store(stream ?? {}, { ...lease, rights, grant: leased }, asked);
        if (parts.wrong === 'a timer ends a lease') {
          const endMs = process.machine.monotonic() + 0.98 * lease.lengthMs;
          process.machine.atMonotonic(endMs, () => this.held.recall(stream ?? {}, [lease.id]));
        }
        if (parts.wrong === 'a lease is stored later') process.machine.in(5, store);
        else store();
      }
      if (isSettled) return;
      isSettled = true;
      if (grant) checker.grant(request, started, grant, false);
      else checker.refuse(false);
    };
    this.attempt(request, asked.usesWanted, answered);
    if (!choices.chance(20)) return;
    process.machine.in(choices.between(5, world.leaseMs), () => {
      if (isSettled) return;
      if (parts.wrong === 'the clocks are read before the last attempt') {
        asked = this.held.ask(digest, parts.readBeforeCall(process.machine));
      }
      this.attempt(request, asked.usesWanted, answered);
    });
  }

  private attempt(
    request: ModelRequest,
    usesWanted: number,
    answered: (stream: Stream | undefined, answer: Answer) => void,
  ): void {
    const { world, process, understands } = this;
    const instance = world.choices.pick(this.instances);
    const stream = world.choices.chance(4) ? undefined : this.streamTo(instance);
    const reply = (deliver: () => void) => {
      if (stream) stream.send('toGuard', deliver);
      else process.machine.in(world.latency(), deliver);
    };
    const answer = (given: Answer) => answered(stream, given);
    const arrive = () => {
      const arrivedAtMs = instance.process.machine.monotonic();
      const attempt: Attempt = { request, stream, arrivedAtMs, usesWanted, understands, answer, reply };
      instance.arrive(attempt);
    };
    if (stream) stream.send('toInstance', arrive);
    else instance.process.machine.in(world.latency(), arrive);
  }

  private streamTo(instance: Instance): Stream {
    this.streams = this.streams.filter((each) => !each.isBroken);
    const open = this.streams.filter((each) => each.instance === instance);
    const known =
      open.length > 0 && (open.length > 1 || !this.world.choices.chance(20))
        ? this.world.choices.pick(open)
        : undefined;
    if (known) return known;
    const stream = new Stream(this.world, instance, this.process, (from, ids) => {
      const back = this.held.recall(from, ids);
      from.send('toInstance', () => instance.givenBack(from, back));
    });
    this.streams.push(stream);
    instance.streams.add(stream);
    return stream;
  }
}
