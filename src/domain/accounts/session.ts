import { createHash } from 'node:crypto';
import { HOUR_MS } from '../time.js';

/** How long a session lasts unless it is ended earlier. */
export const SESSION_HOURS = 12;

/** When the session was opened, by the clock that set its end. */
export function openedAt(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - SESSION_HOURS * HOUR_MS);
}

/** How long a person may take to sign in at the platform. */
export const SIGN_IN_MINUTES = 10;

/** How long we remember that a sign-in came back: longer than it could be valid, even if clocks of instances differ. */
export const SPENT_SIGN_IN_KEPT_MS = HOUR_MS;

/** What we store of a session token. It can end the session and can't be used to sign in. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
