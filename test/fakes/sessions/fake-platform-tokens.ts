import { randomUUID } from 'node:crypto';
import type { PlatformToken } from '#application/sign-in-ports.js';
import type { PlatformTokens } from '#application/ports.js';
import type { PlatformSignIn } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';
import { HOUR_MS } from '#domain/time.js';

/** Its tokens expire by the clock of this machine, as those of a real login do, and not by the store's clock. */
export class FakePlatformTokens implements PlatformTokens {
  private readonly issued = new Map<string, PlatformToken>();
  /** Whether the login is unavailable. */
  isAway = false;

  issue(
    accountId: string,
    expiresAt = new Date(Date.now() + HOUR_MS),
    { authenticatedAt, acr }: Partial<PlatformSignIn> = {},
  ): string {
    const jwt = randomUUID();
    this.issued.set(jwt, { accountId, expiresAt, signIn: { authenticatedAt, acr } });
    return jwt;
  }

  async verify(jwt: string) {
    if (this.isAway) throw new LatchkeyError('unavailable', 'The platform login is away');
    const token = this.issued.get(jwt);
    if (!token) return { refusal: 'the token is not one of ours' };
    return token.expiresAt.getTime() > Date.now() ? token : { refusal: 'the token has expired' };
  }
}
