import { hkdfSync } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { SignInUnderWay } from '#application/sessions/sign-in-at-platform.js';
import { SIGN_IN_MINUTES } from '#domain/accounts/session.js';
import { MINUTE_MS } from '#domain/time.js';

interface Cookie {
  readonly name: string;
  readonly options: CookieOptions;
}

/** Over https the name has the __Host- prefix, so no other host or path can set or shadow the cookie. */
function cookieOf(publicUrl: string, plainName: string, sameSite: 'strict' | 'lax'): Cookie {
  const secure = publicUrl.startsWith('https:');
  return { name: secure ? `__Host-${plainName}` : plainName, options: { httpOnly: true, sameSite, secure, path: '/' } };
}

export class SessionCookie {
  private readonly cookie: Cookie;

  constructor(publicUrl: string) {
    this.cookie = cookieOf(publicUrl, 'latchkey_session', 'strict');
  }

  read(request: Request): string | undefined {
    return parseCookie(request.headers.cookie ?? '')[this.cookie.name];
  }

  set(response: Response, token: string, expires: Date): void {
    response.cookie(this.cookie.name, token, { ...this.cookie.options, expires });
  }

  clear(response: Response): void {
    response.clearCookie(this.cookie.name, this.cookie.options);
  }
}

const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' };

/**
 * A sign-in at the platform that has begun, encrypted with a key from random bytes that all instances share. Any stranger
 * gets such a cookie, so nothing that a person chose may be guessed from it. It is Lax, because the platform redirects
 * the browser back from another site.
 */
export class SignInCookie {
  private readonly cookie: Cookie;

  constructor(
    publicUrl: string,
    private readonly readKey: () => Promise<Uint8Array>,
  ) {
    this.cookie = cookieOf(publicUrl, 'latchkey_sign_in', 'lax');
  }

  async set(response: Response, underWay: SignInUnderWay): Promise<void> {
    const value = await new EncryptJWT({ underWay })
      .setProtectedHeader(ENCRYPTION)
      .setExpirationTime(`${SIGN_IN_MINUTES} minutes`)
      .encrypt(await this.key());
    response.cookie(this.cookie.name, value, { ...this.cookie.options, maxAge: SIGN_IN_MINUTES * MINUTE_MS });
  }

  /** For one use: the answer deletes the cookie. Undefined when it is missing, invalid or expired. */
  async take(request: Request, response: Response): Promise<SignInUnderWay | undefined> {
    const value = parseCookie(request.headers.cookie ?? '')[this.cookie.name];
    if (value === undefined) return undefined;
    response.clearCookie(this.cookie.name, this.cookie.options);
    const opened = await jwtDecrypt<{ underWay: SignInUnderWay }>(value, await this.key(), {
      keyManagementAlgorithms: [ENCRYPTION.alg],
      contentEncryptionAlgorithms: [ENCRYPTION.enc],
      requiredClaims: ['exp'],
    }).catch(() => undefined);
    return opened?.payload.underWay;
  }

  private async key(): Promise<Uint8Array> {
    return new Uint8Array(hkdfSync('sha256', await this.readKey(), '', 'latchkey sign-in cookie', 32));
  }
}
