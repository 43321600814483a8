import { createHash } from 'node:crypto';

/** How long a session lasts unless it is ended earlier. */
export const SESSION_HOURS = 12;

/** What we store of a session token. It can end the session and can't be used to sign in. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
