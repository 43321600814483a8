import { createHash } from 'node:crypto';

/** How long a session lasts unless it is ended earlier. */
export const SESSION_HOURS = 12;

/** The SHA-256 of a session token in hex. It is what we store: it can end the session and can't be used to sign in. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
