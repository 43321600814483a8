import { randomUUID } from 'node:crypto';
import { sign, type PlatformLogin } from '../platform/platform-login.js';
import { OwnerCalls, type Instance } from './owner-calls.js';
import { OwnerLife, type Tally } from './owner-life.js';

/** Lives are short, because an unanswered call may take effect at any later time. */
const ANSWERS_A_LIFE = 100;

export const emptyTally = (): Tally => ({
  answered: 0,
  granted: 0,
  rotated: 0,
  firstUsed: new Set(),
  unavailable: 0,
  broken: [],
});

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
      const token = sign({ sub: id }, { alg: 'ES256', kid: 'ES256' }, login.privateKey('ES256'));
      const life = new OwnerLife(new OwnerCalls(instances, id, token), tally);
      lives.push(life);
      await life.live(ANSWERS_A_LIFE, signal);
    }
  };
  await Promise.all(Array.from({ length: ownersAtOnce }, oneOwnerAfterAnother));
  return lives;
}
