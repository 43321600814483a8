import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from './linearizability.js';
import type { KnownKey, OwnerCalls } from './owner-calls.js';
import { OWNER, type OwnerAction } from './owner-model.js';

/** Counts for all owners of a run. */
export interface Tally {
  answered: number;
  granted: number;
  rotated: number;
  /** Successors that were granted something. */
  readonly firstUsed: Set<string>;
  unavailable: number;
  /** Answers that no service should give. */
  readonly broken: string[];
}

const CALLERS = 4;
/** The pause of a caller after UNAVAILABLE. */
const BACK_OFF_MS = 20;
/** The number of the owner's latest keys that are validated. The others were revoked long ago. */
const KEYS_IN_USE = 3;
const PERMISSIONS = ['', 'systems:read', 'systems:write'];

/** An owner and several callers, who make every kind of call at the same time. It keeps all calls and answers. */
export class OwnerLife {
  readonly history: Operation<OwnerAction>[] = [];
  private moment = 0;
  private versions = 0;

  constructor(
    private readonly calls: OwnerCalls,
    private readonly tally: Tally,
  ) {}

  /** Ends after this number of answered calls, or when the signal is aborted. */
  async live(answers: number, signal: AbortSignal): Promise<void> {
    const again = async (call: () => Promise<boolean>) => {
      do await pause(BACK_OFF_MS);
      while (!signal.aborted && !(await call()));
    };
    const born = () => this.putAccount(['systems:read']);
    if (!(await born())) await again(born);
    let left = answers;
    const caller = async () => {
      while (left > 0 && !signal.aborted) {
        left -= 1;
        // After an unanswered call, this caller makes no change until the service answers again.
        if (!(await this.anything())) await again(() => this.readOnly());
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  }

  /** @returns whether it was answered */
  private anything(): Promise<boolean> {
    const dice = randomInt(100);
    if (dice < 5) return this.putAccount(this.otherPermissions());
    if (dice < 7) return this.account('suspend');
    if (dice < 14) return this.account('reactivate');
    if (dice < 20 || this.calls.keys.length === 0) return this.perform({ kind: 'create' }, () => this.calls.create());
    if (dice < 24) return this.revoke(this.anyKey());
    if (dice < 36) return this.rotate(this.anyKey());
    return this.look();
  }

  /** A validation, if there is a key; otherwise a read of the account. */
  private look(): Promise<boolean> {
    if (this.calls.keys.length === 0 || randomInt(20) === 0) return this.account('get');
    return this.validate(this.anyKey());
  }

  private validate(key: KnownKey): Promise<boolean> {
    const permission = PERMISSIONS[randomInt(PERMISSIONS.length)]!;
    const first = key.isSuccessor ? ({ mayBeFirst: true } as const) : {};
    const action: OwnerAction = { kind: 'validate', keyId: key.id, permission, ...first };
    return this.perform(action, () => this.calls.validate(key, permission));
  }

  /** A call that changes nothing. The first use of a successor may end the old key, so successors are left out. */
  private readOnly(): Promise<boolean> {
    const first = this.calls.keys.find(({ isSuccessor }) => !isSuccessor);
    return first ? this.validate(first) : this.account('get');
  }

  /** With a plan that differs from all earlier ones, or without one. */
  private putAccount(permissions: readonly string[]): Promise<boolean> {
    const limited = randomInt(3) === 0 ? 'read-only' : 'read-and-write';
    const plan = randomInt(2) === 0 ? `${limited} ${(this.versions += 1)}` : undefined;
    return this.perform({ kind: 'put', permissions, plan }, () => this.calls.put(permissions, plan));
  }

  /** Permissions that differ from all earlier ones. `delete` is never for keys. */
  private otherPermissions(): string[] {
    const writes = randomInt(2) === 0 ? ['systems:write'] : [];
    return [`v${(this.versions += 1)}:read`, 'systems:read', 'systems:delete', ...writes];
  }

  private account(kind: 'get' | 'suspend' | 'reactivate'): Promise<boolean> {
    return this.perform({ kind }, () => this.calls.account(kind));
  }

  private revoke({ id: keyId }: KnownKey): Promise<boolean> {
    return this.perform({ kind: 'revoke', keyId }, () => this.calls.revoke(keyId));
  }

  private rotate({ id: keyId }: KnownKey): Promise<boolean> {
    const hasGrace = randomInt(3) === 0;
    return this.perform({ kind: 'rotate', keyId, hasGrace }, () => this.calls.rotate(keyId, hasGrace));
  }

  private anyKey(): KnownKey {
    const inUse = this.calls.keys.slice(-KEYS_IN_USE);
    return inUse[randomInt(inUse.length)]!;
  }

  private async perform(invoked: OwnerAction, call: () => Promise<OwnerAction['answer']>): Promise<boolean> {
    const invokedAt = (this.moment += 1);
    const answer = await call().catch((error: unknown) => void this.tally.broken.push(`${invoked.kind}: ${error}`));
    const isAnswered = answer !== undefined;
    const answeredAt = isAnswered ? (this.moment += 1) : Infinity;
    const action = { ...invoked, ...(isAnswered ? { answer } : {}) } as OwnerAction;
    // An unanswered call that changes nothing proves nothing.
    if (isAnswered || !OWNER.changesNothing(invoked)) this.history.push({ action, invokedAt, answeredAt });
    if (!isAnswered) this.tally.unavailable += 1;
    else this.tally.answered += 1;
    if (typeof answer === 'object') this.count(invoked, answer);
    return isAnswered;
  }

  private count(invoked: OwnerAction, answer: object): void {
    if (invoked.kind === 'rotate') this.tally.rotated += 1;
    if (invoked.kind !== 'validate' || !('granted' in answer)) return;
    this.tally.granted += 1;
    if (invoked.mayBeFirst) this.tally.firstUsed.add(invoked.keyId);
  }
}
