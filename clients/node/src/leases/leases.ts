import { hash } from 'node:crypto';
import type { Granted } from '../decision.js';
import type { Operation as JudgedOperation } from '../domain/keys/access.js';
import { type KeyRights, refusalBy } from '../domain/keys/key-rights.js';
import type { Question as JudgedQuestion } from '../domain/keys/verdict.js';
import type { LeaseReport } from '../generated/latchkey/v1/LeaseReport.js';
import type { ValidateKeyResponse__Output as Response } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import type { Operation } from '../operation.js';
import { type Clocks, readAtUse, readBeforeCall } from './clock-reading.js';
import { type Asked, HeldLeases } from './held-leases.js';
import { LeaseUses } from './lease-uses.js';
import { type LeasedGrant, leaseIn } from './leased-grant.js';

/** Counts of a guard's leases. */
export interface LeaseCounts {
  /** The leases that the guard holds now. One that has ended counts up to a second longer. */
  readonly held: number;
  /** The requests that were granted from a lease. */
  readonly spent: number;
  /** The leases that Latchkey recalled. */
  readonly recalled: number;
}

/** A stream that brings leases and recalls. */
export interface LeaseStream {
  readonly takesQuestions: boolean;
  report(report: LeaseReport): void;
}

/** One request, as far as a lease decides about it. */
export interface Use {
  readonly digest: string;
  readonly operation: Operation;
  readonly permission: string;
  readonly clientIp: string;
}

const operations: Readonly<Record<Operation, JudgedOperation>> = {
  READ: 'read',
  WRITE: 'write',
  DESTROY: 'destroy',
  MANAGE_API_KEYS: 'manage-api-keys',
  MANAGE_ACCOUNT: 'manage-account',
  IMPERSONATE: 'impersonate',
};

/** Node's monotonic clock stands still while a Linux machine is suspended, the wall clock does not. */
const ofNode: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };
const reportEveryMs = 1000;

/** The leases of a guard: grants from them, and reports to Latchkey what they were used for. */
export class Leases {
  private readonly held = new HeldLeases<KeyRights, JudgedQuestion, LeasedGrant>(
    (rights, question) => refusalBy(rights, question) === undefined,
  );
  private readonly uses = new LeaseUses();
  /** The credentials for which a call asks for a lease now. */
  private readonly wishing = new Set<string>();
  /** The streams that brought leases. An instance of an older release would not understand a report. */
  private readonly streams = new Set<LeaseStream>();
  private spent = 0;
  private recalled = 0;
  private readonly timer = setInterval(() => this.tidy(), reportEveryMs).unref();
  private isClosed = false;

  constructor(private readonly clocks = ofNode) {}

  get counts(): LeaseCounts {
    return { held: this.held.size, spent: this.spent, recalled: this.recalled };
  }

  /** The grant of a lease that allows the request. Undefined: only the service can decide. */
  grantFor({ digest, operation, permission, clientIp }: Use): Granted | undefined {
    if (this.isClosed) return undefined;
    const at = readAtUse(this.clocks);
    const question = { operation: operations[operation], permission, clientAddress: withoutZone(clientIp) };
    const grant = this.held.use(digest, question, at);
    if (!grant) return undefined;
    this.spent += 1;
    grant.lastCount = this.uses.add(grant.principal.keyId, clientIp, at.monotonicMs, grant.lastCount);
    return grant.decide();
  }

  /** Call it before a question is sent. Undefined: it is sent without the wish, because another one has it. */
  wish(digest: string): Asked | undefined {
    if (this.isClosed || this.wishing.has(digest)) return undefined;
    this.wishing.add(digest);
    return this.held.ask(digest, readBeforeCall(this.clocks));
  }

  /** The question with the wish was answered, or has failed. */
  wished({ digest }: Asked): void {
    this.wishing.delete(digest);
  }

  /**
   * Stores the lease that an answer brings, if it does.
   *
   * @param windowSeconds see `judge`
   */
  store(stream: LeaseStream, response: Response, asked: Asked, windowSeconds: number | undefined): void {
    const lease = leaseIn(response, windowSeconds);
    if (!lease) return;
    this.streams.add(stream);
    this.held.store(stream, lease, asked);
  }

  /** Drops the leases and gives them back on the same stream, before anything else arrives on it. */
  recall(stream: LeaseStream, ids: readonly string[]): void {
    this.recalled += ids.length;
    const givenBack = this.held.recall(stream, ids.map(Number));
    if (stream.takesQuestions) stream.report({ givenBack: [...givenBack] });
  }

  /** Reports the last uses. From now on, nothing is granted. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    this.report();
  }

  private tidy(): void {
    this.held.removeEnded(readAtUse(this.clocks));
    this.report();
  }

  private report(): void {
    for (const stream of this.streams) if (!stream.takesQuestions) this.streams.delete(stream);
    const [stream] = this.streams;
    if (!stream || this.uses.isEmpty) return;
    for (const uses of this.uses.take(this.clocks.monotonic())) stream.report({ uses });
  }
}

/** Of the exact text of the header, by which the service reads the credential. */
export function digestOf(authorization: readonly string[]): string {
  return hash('sha256', authorization.length === 1 ? authorization[0]! : authorization.join(', '), 'binary');
}

/** The service leaves out a zone, such as %eth0, too. */
function withoutZone(address: string): string {
  return address.includes('%') ? address.split('%', 1)[0]! : address;
}
