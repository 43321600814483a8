import { createHash } from 'node:crypto';

/** How long a sign-in lasts, unless something ends it sooner. */
export const SESSION_HOURS = 12;

/** What a session is kept by: its SHA-256 in hex, which ends it and does not open it. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
