import type { Clocks, ClockReading } from '../../clients/node/src/leases/clock-reading.js';
import type { Asked, Lease } from '../../clients/node/src/leases/held-leases.js';
import { type KeyRights, refusalBy } from '../../src/domain/keys/key-rights.js';
import type { Question } from '../../src/domain/keys/verdict.js';
import { ChangeWait, type Giver, type Locked, type Step } from '../../src/domain/leases/change-wait.js';
import {
  type Batch,
  type FoundKey,
  type LeaseRequest,
  lengthToGive,
  type Recall,
  type Recalled,
} from '../../src/domain/leases/giving.js';
import type { Registration } from '../../src/domain/leases/registration.js';
import { TimelineWatch } from '../../src/domain/leases/timeline-watch.js';
import { chargeAhead } from '../../src/domain/leases/uses-ahead.js';
import { type Change, CHANGES } from './change-call.js';
import type { ModelGrant } from './checker.js';
import type { ThemeName } from './world.js';
import { CORRECT, ModelGiving, ModelHeld, type Parts } from './parts.js';

export interface Planted {
  readonly rule: 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'Promotion' | 'Suspended machines' | 'Limits';
  readonly error: string;
  readonly parts: Partial<Parts>;
  /** The kind of schedules that it is looked for in. Absent: every kind. */
  readonly theme?: ThemeName;
}

type HeldLease = Lease<KeyRights, ModelGrant>;

/** The holder sees other lengths or uses than the giver gave. */
const storing = (change: (lease: HeldLease) => HeldLease): Partial<Parts> => ({
  Held: class extends ModelHeld {
    override store(stream: object, lease: HeldLease, asked: Asked): void {
      super.store(stream, change(lease), asked);
    }
  },
});

/** Each use is judged by another question. */
const judging = (change: (question: Question, rights: KeyRights) => Question): Partial<Parts> => ({
  allows: (rights, question) => refusalBy(rights, change(question, rights)) === undefined,
});

const giving = (change: (request: LeaseRequest<unknown>, found: FoundKey) => [LeaseRequest<unknown>, FoundKey]) => ({
  lengthToGive: (request: LeaseRequest<unknown>, found: FoundKey) => lengthToGive(...change(request, found)),
});

const locked = (change: (locked: Locked) => Locked): Partial<Parts> => ({
  ChangeWait: class extends ChangeWait {
    constructor(changeId: string, found: Locked) {
      super(changeId, change(found));
    }
  },
});

const reading = (change: (givers: readonly Giver[]) => readonly Giver[]): Partial<Parts> => ({
  ChangeWait: class extends ChangeWait {
    override read(givers: readonly Giver[], notificationId: string): void {
      super.read(change(givers), notificationId);
    }
  },
});

const clocks = (read: (clocks: Clocks) => ClockReading): Partial<Parts> => ({ readAtUse: read, readBeforeCall: read });

const wrong = (step: string): Partial<Parts> => ({ wrong: step });

/** A lease may be used, and is waited for, for these shares of its length. */
class NoMargin extends ChangeWait {
  override read(givers: readonly Giver[], notificationId: string): void {
    super.read(
      givers.map((each) => ({ ...each, leaseMs: each.leaseMs / 1.02 })),
      notificationId,
    );
  }
}
const noMargin = storing((lease) => ({ ...lease, lengthMs: lease.lengthMs / 0.98 }));

/** One for each clause of DESIGN § 11. Written before the first run; those that were added since say so. */
export const PLANTED: readonly Planted[] = [
  {
    rule: 'R1',
    error: 'the clocks are read when the answer arrives',
    parts: wrong('the clocks are read when the answer arrives'),
  },
  {
    rule: 'R1',
    error: 'the clocks are read before the last attempt',
    parts: wrong('the clocks are read before the last attempt'),
  },
  {
    rule: 'R1',
    error: 'a timer ends a lease, not a comparison at each use',
    parts: { ...wrong('a timer ends a lease'), ...clocks(() => ({ wallMs: 0, monotonicMs: 0 })) },
  },
  {
    rule: 'R1',
    error: 'a lease is used for a tenth longer',
    parts: storing((lease) => ({ ...lease, lengthMs: lease.lengthMs * 1.1 })),
  },
  { rule: 'R1', error: 'neither side keeps its 2 %', parts: { ...noMargin, ChangeWait: NoMargin } },
  { rule: 'R1', error: 'another credential', parts: wrong('another credential') },
  {
    rule: 'R1',
    error: 'another client address',
    parts: { allows: (rights, question) => refusalBy({ ...rights, allowedNetworks: null }, question) === undefined },
  },
  { rule: 'R1', error: 'another operation', parts: judging((question) => ({ ...question, operation: 'read' })) },
  {
    rule: 'R1',
    error: 'another permission',
    parts: judging((question, { permissions }) => ({ ...question, permission: permissions[0] ?? '' })),
  },
  {
    rule: 'R1',
    error: 'the rule for a key with a subset is left out',
    parts: { allows: (rights, question) => refusalBy({ ...rights, hasSubset: false }, question) === undefined },
  },
  { rule: 'R1', error: 'a guard refuses by a lease', parts: wrong('a guard refuses') },
  {
    rule: 'R1',
    error: 'a lease that was recalled is stored later',
    parts: {
      ...wrong('a lease is stored later'),
      Held: class extends ModelHeld {
        private readonly own = new Map<number, object>();
        override store(_stream: object, lease: HeldLease, asked: Asked): void {
          const stream = {};
          this.own.set(lease.id, stream);
          super.store(stream, lease, asked);
        }
        override recall(_stream: object, ids: readonly number[]): readonly number[] {
          for (const id of ids) super.recall(this.own.get(id) ?? {}, [id]);
          return ids;
        }
      },
    },
  },
  {
    rule: 'R1',
    error: 'a lease is given back and stays in use',
    parts: {
      Held: class extends ModelHeld {
        override recall(_stream: object, ids: readonly number[]): readonly number[] {
          return ids;
        }
      },
    },
  },
  {
    rule: 'R1',
    error: 'a lease on a restriction that the guard does not judge',
    parts: giving((request, found) => [request, { ...found, restrictions: [] }]),
  },

  {
    rule: 'R2',
    error: 'a lease with the answer of a call of its own',
    parts: {
      ...giving((request, found) => [{ ...request, stream: {} }, found]),
      Giving: class extends ModelGiving {
        override give(ownerId: string, lengthMs: number, request: LeaseRequest<object>, batch: Batch) {
          return request.stream ? super.give(ownerId, lengthMs, request, batch) : 1_000_000;
        }
      },
    },
  },
  { rule: 'R2', error: 'a lease with a refusal', parts: wrong('a refusal brings a lease') },
  {
    rule: 'R2',
    error: 'a lease before the first use is recorded',
    parts: wrong('a lease before the first use is recorded'),
  },
  {
    rule: 'R2',
    error: 'a statement that was sent before the request',
    parts: wrong('a request joins a statement that was sent'),
  },
  {
    rule: 'R2',
    error: 'a giver without a registration',
    parts: giving((request, found) => [
      request,
      { ...found, own: found.own ?? { id: '', leaseMs: 1000, renewedAt: found.now, fence: null } },
    ]),
  },
  {
    rule: 'R2',
    theme: 'fences',
    error: 'a giver that is fenced',
    parts: giving((request, found) => [request, found.own ? { ...found, own: { ...found.own, fence: null } } : found]),
  },
  {
    rule: 'R2',
    theme: 'first',
    error: 'the registration is from a later snapshot',
    parts: wrong('the registration is read after the keys'),
  },
  {
    rule: 'R2',
    error: 'a batch that was sent before a recall arrived',
    parts: {
      Giving: class extends ModelGiving {
        override send(nowMs: number): Batch {
          const batch = super.send(nowMs);
          this.end(batch);
          return batch;
        }
      },
    },
  },
  {
    rule: 'R2',
    error: 'longer than LEASE_MS',
    parts: giving((request, found) => [
      request,
      found.own ? { ...found, own: { ...found.own, leaseMs: 1.5 * found.own.leaseMs } } : found,
    ]),
  },
  {
    rule: 'R2',
    error: 'longer than the time to expiresAt',
    parts: giving((request, found) => [request, { ...found, expiresAt: new Date(1e12) }]),
  },
  {
    rule: 'R2',
    error: 'longer than the time to endsAt',
    parts: giving((request, found) => [request, { ...found, endsAt: null }]),
  },
  {
    rule: 'R2',
    error: 'longer than graceSeconds',
    parts: giving((request, found) => [request, { ...found, graceSeconds: null }]),
  },

  {
    rule: 'R3',
    error: 'no wait',
    parts: {
      ChangeWait: class extends ChangeWait {
        override step(): Step {
          return { next: 'answer', deletedRows: [] };
        }
      },
    },
  },
  ...CHANGES.filter((change) => !CORRECT.waitsNotFor.includes(change)).map((change: Change) => ({
    rule: 'R3' as const,
    error: `no wait for: ${change}`,
    parts: { waitsNotFor: [...CORRECT.waitsNotFor, change] },
  })),
  {
    rule: 'R3',
    error: 'the clock is started before the commit',
    parts: {
      ...wrong('the clock is started before the commit'),
      ChangeWait: class extends ChangeWait {
        private first: number | undefined;
        override committed(nowMs: number, answersFromMs = 0): void {
          super.committed((this.first ??= nowMs), answersFromMs);
        }
      },
    },
  },
  {
    rule: 'R3',
    error: 'registrations are read before the commit',
    parts: wrong('registrations are read before the commit'),
  },
  {
    rule: 'R3',
    error: 'the notification is sent before the commit',
    parts: wrong('the notification is sent before the commit'),
  },
  {
    rule: 'R3',
    theme: 'fences',
    error: 'fenced registrations are left out',
    parts: reading((givers) => givers.filter((each) => (each as Registration).fence === null)),
  },
  {
    rule: 'R3',
    error: 'the shortest LEASE_MS counts',
    parts: reading((givers) =>
      givers.map((each) => ({ ...each, leaseMs: Math.min(...givers.map(({ leaseMs }) => leaseMs)) })),
    ),
  },
  { rule: 'R3', error: 'a failed read finds nobody', parts: wrong('a failed read finds nobody') },
  {
    rule: 'R3',
    error: 'no row is inserted',
    parts: {
      ChangeWait: class extends ChangeWait {
        override get insertsRow(): boolean {
          return false;
        }
      },
    },
  },
  {
    rule: 'R3',
    error: 'a call is answered while a row of its owner is pending',
    parts: locked((found) => ({ ...found, pending: [] })),
  },
  { rule: 'R3', error: 'pending rows are read before the lock', parts: wrong('pending rows are read before the lock') },
  { rule: 'R3', error: 'the row is deleted before the wait', parts: wrong('the row is deleted before the wait') },
  { rule: 'R3', error: 'the wait ends with the caller', parts: wrong('the wait ends with the caller') },
  {
    rule: 'R3',
    error: 'an acknowledgement of another change',
    parts: {
      ChangeWait: class extends ChangeWait {
        private own = '';
        override read(givers: readonly Giver[], notificationId: string): void {
          this.own = notificationId;
          super.read(givers, notificationId);
        }
        override acknowledge(giverId: string): void {
          super.acknowledge(giverId, this.own);
        }
      },
    },
  },
  {
    rule: 'R3',
    error: 'one acknowledgement is enough',
    parts: {
      ChangeWait: class extends ChangeWait {
        private givers: readonly Giver[] = [];
        override read(givers: readonly Giver[], notificationId: string): void {
          this.givers = givers;
          super.read(givers, notificationId);
        }
        override acknowledge(_giverId: string, notificationId: string): void {
          for (const { id } of this.givers) super.acknowledge(id, notificationId);
        }
      },
    },
  },
  {
    rule: 'R3',
    error: 'a notification of an unknown kind touches nothing',
    parts: {
      Giving: class extends ModelGiving {
        override recall(recall: Recall, nowMs: number): Recalled<object> {
          const nothing = { messages: new Map(), acknowledged: [recall.notificationId] };
          return recall.ownerId === undefined ? nothing : super.recall(recall, nowMs);
        }
      },
    },
  },
  // Added: the rule that closes the hole was found by this simulation.
  {
    rule: 'R3',
    theme: 'first',
    error: 'the first registration comes in while a change that found no row is open',
    parts: wrong('the first registration does not lock'),
  },
  {
    rule: 'R3',
    theme: 'first',
    error: 'as before, and no look for registrations after the commit',
    parts: {
      ...wrong('the first registration does not lock'),
      ...locked((found) => (found.hasTimeline ? found : { ...found, isChange: false })),
    },
  },

  {
    rule: 'R4',
    error: 'acknowledged before anything is given back',
    parts: {
      Giving: class extends ModelGiving {
        override recall(recall: Recall, nowMs: number): Recalled<object> {
          return { ...super.recall(recall, nowMs), acknowledged: [recall.notificationId] };
        }
      },
    },
  },
  {
    rule: 'R4',
    error: 'a recall overtakes a lease on another stream',
    parts: wrong('a recall is sent on another stream'),
  },
  { rule: 'R4', error: 'a broken stream is taken for a give-back', parts: wrong('a broken stream gives back') },
  {
    rule: 'R4',
    error: 'a lease counts as over too early',
    parts: {
      Giving: class extends ModelGiving {
        override give(ownerId: string, lengthMs: number, request: LeaseRequest<object>, batch: Batch) {
          return super.give(ownerId, 0.9 * lengthMs, request, batch);
        }
      },
    },
  },
  {
    rule: 'R5',
    theme: 'fences',
    error: 'a registration is deleted as soon as it is fenced',
    parts: { deletableFrom: (_giver, fencedAtMs) => fencedAtMs },
  },
  {
    rule: 'R5',
    theme: 'fences',
    error: 'the time counts from before the commit of the fence',
    parts: wrong('a fence counts before its commit'),
  },
  {
    rule: 'R5',
    theme: 'fences',
    error: 'a registration is deleted after its fence was lost',
    parts: { isDeletable: (found) => found !== undefined },
  },
  { rule: 'R5', error: 'a restart keeps the id', parts: wrong('a restart keeps the id') },

  {
    rule: 'Promotion',
    theme: 'promotions',
    error: 'no wait on a promoted server',
    parts: {
      TimelineWatch: class extends TimelineWatch {
        override answersFrom(): number {
          return 0;
        }
      },
    },
  },
  {
    rule: 'Promotion',
    theme: 'promotions',
    error: 'the timeline is written before the wait',
    parts: wrong('the timeline is written at once'),
  },
  {
    rule: 'Promotion',
    theme: 'promotions',
    error: 'the wait counts from the start of the process',
    parts: {
      TimelineWatch: class extends TimelineWatch {
        override answersFrom(timeline: number, complete: number | undefined): number {
          return super.answersFrom(timeline, complete, 0);
        }
      },
    },
  },
  {
    rule: 'Promotion',
    theme: 'promotions',
    error: 'the wait counts from an earlier promotion',
    parts: {
      TimelineWatch: class extends TimelineWatch {
        override answersFrom(timeline: number, complete: number | undefined, nowMs: number): number {
          return complete === timeline ? 0 : super.answersFrom(-1, complete, nowMs);
        }
      },
    },
  },

  {
    rule: 'Suspended machines',
    error: 'the monotonic clock alone',
    parts: clocks(({ monotonic }) => ({ wallMs: monotonic(), monotonicMs: monotonic() })),
  },
  {
    rule: 'Suspended machines',
    error: 'the wall clock alone',
    parts: clocks(({ wall }) => ({ wallMs: Math.max(0, wall()) + 1e6, monotonicMs: wall() + 1e6 })),
  },
  {
    rule: 'Suspended machines',
    error: 'the two clocks may differ',
    parts: {
      Held: class extends ModelHeld {
        private readonly asked = new Map<string, Asked>();
        override store(stream: object, lease: HeldLease, asked: Asked): void {
          this.asked.set(asked.digest, asked);
          super.store(stream, lease, asked);
        }
        override use(digest: string, question: Question, at: ClockReading): ModelGrant | undefined {
          const from = this.asked.get(digest)?.at ?? at;
          const passedMs = Math.max(at.wallMs - from.wallMs, at.monotonicMs - from.monotonicMs);
          const both = { wallMs: from.wallMs + passedMs, monotonicMs: from.monotonicMs + passedMs };
          return super.use(digest, question, both);
        }
      },
    },
  },

  {
    rule: 'Limits',
    error: 'uses are not charged',
    parts: { chargeAhead: (limit, tat, now, wanted) => ({ tat, uses: chargeAhead(limit, tat, now, wanted).uses }) },
  },
  { rule: 'Limits', error: 'uses are not counted', parts: storing((lease) => ({ ...lease, uses: 1_000_000 })) },
  {
    rule: 'Limits',
    error: 'more uses than could be charged',
    parts: { chargeAhead: (_limit, tat, _now, wanted) => ({ tat, uses: wanted }) },
  },
  {
    rule: 'Limits',
    error: 'a lease though nothing can be charged',
    parts: {
      chargeAhead: (limit, tat, now, wanted) => {
        const charged = chargeAhead(limit, tat, now, wanted);
        return charged.uses > 0 ? charged : { tat: charged.tat, uses: 1 };
      },
    },
  },
];
