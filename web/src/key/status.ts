// The service's rules, for a screen that stays open. test/contracts/screen-status.spec.ts compares the two.

interface Times {
  readonly status: 'active' | 'expired' | 'revoked';
  readonly expiresAt: string;
  readonly endsAt: string | null;
}

/** A key may end while it is on the screen. */
export function statusAt({ status, expiresAt, endsAt }: Times, now: number): Times['status'] {
  if (status !== 'active') return status;
  const expiry = Date.parse(expiresAt);
  const end = endsAt === null ? expiry : Date.parse(endsAt);
  if (end < expiry && end <= now) return 'revoked';
  return expiry <= now ? 'expired' : 'active';
}

/** When an active key ends, as far as is known: by its expiry, or sooner because its successor is in use. */
export function endOf({ expiresAt, endsAt }: Pick<Times, 'expiresAt' | 'endsAt'>): string {
  return endsAt !== null && Date.parse(endsAt) < Date.parse(expiresAt) ? endsAt : expiresAt;
}
