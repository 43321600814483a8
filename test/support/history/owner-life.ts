import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformLogin } from '../platform/platform-login.js';
import type { Operation } from './linearizability.js';
import { type Instance, type KnownKey, OwnerCalls } from './owner-calls.js';
import { changesNothing, type OwnerAction } from './owner-model.js';

/** Counts for all owners of a run. */
export class Tally {
  answered = 0;
  granted = 0;
  rotated = 0;
  /** Successors that were granted something. */
  readonly firstUsed = new Set<string>();
  unavailable = 0;
  /** Answers that no service should give. */
  readonly broken: string[] = [];
}

const CALLERS = 4;
/** Lives are short, because an unanswered call may take effect at any later time. */
const ANSWERS_A_LIFE = 100;
/** The pause of a caller after UNAVAILABLE. */
const BACK_OFF_MS = 20;
/** The number of the owner's latest keys that are validated. The others were revoked long ago. */
const KEYS_IN_USE = 3;
const PERMISSIONS = ['', 'systems:read', 'systems:write'];

const oneOf = <T>(all: readonly T[]): T => all[randomInt(all.length)]!;

/** An owner and several callers, who make every kind of call at the same time. It keeps all calls and answers. */
export class OwnerLife {
  readonly history: Operation[] = [];
  private moment = 0;
  private versions = 0;

  constructor(
    private readonly calls: OwnerCalls,
    private readonly tally: Tally,
  ) {}

  /** Ends after its answered calls, or when the signal is aborted. */
  async live(signal: AbortSignal): Promise<void> {
    const again = async (call: () => Promise<boolean>) => {
      do await pause(BACK_OFF_MS);
      while (!signal.aborted && !(await call()));
    };
    const born = () => this.putAccount(['systems:read']);
    if (!(await born())) await again(born);
    let left = ANSWERS_A_LIFE;
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
    if (dice < 7) return this.perform({ kind: 'suspend' });
    if (dice < 14) return this.perform({ kind: 'reactivate' });
    const keys = this.calls.keys.slice(-KEYS_IN_USE);
    if (dice < 20 || keys.length === 0) return this.perform({ kind: 'create' });
    const key = oneOf(keys);
    if (dice < 24) return this.perform({ kind: 'revoke', keyId: key.id });
    if (dice < 36) return this.perform({ kind: 'rotate', keyId: key.id, hasGrace: randomInt(3) === 0 });
    return randomInt(20) === 0 ? this.perform({ kind: 'get' }) : this.validate(key);
  }

  private validate({ id: keyId, isSuccessor }: KnownKey): Promise<boolean> {
    const first = isSuccessor ? ({ mayBeFirst: true } as const) : {};
    return this.perform({ kind: 'validate', keyId, permission: oneOf(PERMISSIONS), ...first });
  }

  /** A call that changes nothing. The first use of a successor may end the old key, so successors are left out. */
  private readOnly(): Promise<boolean> {
    const first = this.calls.keys.find(({ isSuccessor }) => !isSuccessor);
    return first ? this.validate(first) : this.perform({ kind: 'get' });
  }

  /** With a plan that differs from all earlier ones, or without one. */
  private putAccount(permissions: readonly string[]): Promise<boolean> {
    const limited = randomInt(3) === 0 ? 'read-only' : 'read-and-write';
    const plan = randomInt(2) === 0 ? `${limited} ${(this.versions += 1)}` : undefined;
    return this.perform({ kind: 'put', permissions, plan });
  }

  /** Permissions that differ from all earlier ones. `delete` is never for keys. */
  private otherPermissions(): string[] {
    const writes = randomInt(2) === 0 ? ['systems:write'] : [];
    return [`v${(this.versions += 1)}:read`, 'systems:read', 'systems:delete', ...writes];
  }

  private async perform(invoked: OwnerAction): Promise<boolean> {
    const { tally } = this;
    const invokedAt = (this.moment += 1);
    const answer = await this.calls
      .answerTo(invoked)
      .catch((error: unknown) => void tally.broken.push(`${invoked.kind}: ${error}`));
    const isAnswered = answer !== undefined;
    const answeredAt = isAnswered ? (this.moment += 1) : Infinity;
    const action = { ...invoked, ...(isAnswered ? { answer } : {}) } as OwnerAction;
    // An unanswered call that changes nothing proves nothing.
    if (isAnswered || !changesNothing(invoked)) this.history.push({ action, invokedAt, answeredAt });
    tally[isAnswered ? 'answered' : 'unavailable'] += 1;
    if (invoked.kind === 'rotate' && typeof answer === 'object') tally.rotated += 1;
    if (invoked.kind === 'validate' && typeof answer === 'object' && 'granted' in answer) {
      tally.granted += 1;
      if (invoked.mayBeFirst) tally.firstUsed.add(invoked.keyId);
    }
    return isAnswered;
  }
}

interface Course {
  readonly ownersAtOnce: number;
  /** Ends after this number of answers; never by default. */
  readonly answers?: number;
  readonly signal: AbortSignal;
}

/** Plays owners' lives one after the other, some at the same time. @returns the lives, when all have ended */
export async function playLives(
  instances: readonly Instance[],
  login: PlatformLogin,
  tally: Tally,
  { ownersAtOnce, answers = Infinity, signal }: Course,
): Promise<OwnerLife[]> {
  const lives: OwnerLife[] = [];
  const oneOwnerAfterAnother = async () => {
    while (lives.length * ANSWERS_A_LIFE < answers && !signal.aborted) {
      const id = `u-${randomUUID()}`;
      const token = login.token({ sub: id });
      const life = new OwnerLife(new OwnerCalls(instances, id, token), tally);
      lives.push(life);
      await life.live(signal);
    }
  };
  await Promise.all(Array.from({ length: ownersAtOnce }, oneOwnerAfterAnother));
  return lives;
}
