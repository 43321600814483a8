import { wholeNumberProblem } from '../errors.js';
import { later } from '../time.js';

export const MAX_PAUSE_MINUTES = 1440;
export const PAUSE_FIELDS = {
  minutes: (value: unknown) => wholeNumberProblem(value, 1, MAX_PAUSE_MINUTES),
} as const;

/** Each resumes only their own pause. A manager pauses as the owner does, the command line as an administrator. */
export type PausedBy = 'owner' | 'administrator';

/** Until when each of them paused the key, or when it was resumed. Null: never paused. A time that has passed stays. */
export interface KeyPauses {
  readonly pausedUntil: Date | null;
  readonly adminPausedUntil: Date | null;
}

export const NEVER_PAUSED: KeyPauses = { pausedUntil: null, adminPausedUntil: null };

export const PAUSE_OF = { owner: 'pausedUntil', administrator: 'adminPausedUntil' } as const satisfies Record<
  PausedBy,
  keyof KeyPauses
>;

/** From its first pause on, an instance of a release that knows no pauses refuses the key: see `storedDigest`. */
export function wasPaused({ pausedUntil, adminPausedUntil }: KeyPauses): boolean {
  return pausedUntil !== null || adminPausedUntil !== null;
}

/** The later of both ends, as long as it is to come. */
export function pauseEnd({ pausedUntil, adminPausedUntil }: KeyPauses, now: Date): Date | null {
  const until =
    pausedUntil && adminPausedUntil ? later(pausedUntil, adminPausedUntil) : (pausedUntil ?? adminPausedUntil);
  return until && until > now ? until : null;
}
