import type { Recall } from '../../src/domain/leases/giving.js';
import type { TimelineWatch } from '../../src/domain/leases/timeline-watch.js';
import type { Checker } from './checker.js';
import type { Choices } from './choices.js';
import type { Parts } from './parts.js';
import type { Postgres } from './postgres.js';
import type { Machine, VirtualTime } from './virtual-time.js';

export interface Process {
  readonly name: string;
  readonly machine: Machine;
  readonly watch: TimelineWatch;
}

/** A call that waits for acknowledgements. */
export interface Waiting {
  readonly process: Process;
  acknowledged(registrationId: string, notificationId: string): void;
}

/** What the processes of a schedule need of everything around them. */
export interface Model {
  readonly time: VirtualTime;
  readonly postgres: Postgres;
  readonly checker: Checker;
  readonly choices: Choices;
  readonly parts: Parts;
  readonly leaseMs: number;
  readonly waiting: Set<Waiting>;
  /** Those whose key string somebody has. */
  readonly knownKeys: Set<string>;
  /** Of the limiter that all instances share. */
  readonly tats: Map<string, number>;
  /** What happened, for a person to read. */
  note(text: string): void;
  newId(kind: string): string;
  /** Mostly short, sometimes longer than a lease. */
  latency(): number;
  /** How long a transaction is open. */
  transactionMs(): number;
  /** Something happened after which a fault, a request or a change is likely to matter. */
  moment(ownerId: string): void;
  /** @param timeline of the server that must answer. Otherwise it is the present one */
  query<T>(process: Process, statement: () => T, then: (result: T | undefined) => void, timeline?: number): void;
  /** A transaction. The call fails if its server is replaced, if its message is late or if the answer is lost. */
  transact<T>(
    process: Process,
    work: (done: (result: T) => void) => void,
    then: (result: T | undefined) => void,
    timeline?: number,
  ): void;
  /** A later moment of a transaction, on the same server. */
  inDatabase(ms: number, run: () => void): void;
  notify(recall: Recall): void;
  acknowledge(from: Process, registrationId: string, notificationId: string): void;
  /** Somebody makes the same call before the first one is answered. */
  repeat(ownerId: string, change: string): void;
  /** Requests start at once. */
  answered(ownerId: string, version: number): void;
}
