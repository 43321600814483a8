import { hkdfSync } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { SignInUnderWay } from '../../../../application/sessions/begin-platform-sign-in.js';

/** The session cookie. Over https its name has the __Host- prefix, so no other host or path can set or shadow it. */
export class SessionCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(publicUrl: string) {
    const secure = publicUrl.startsWith('https:');
    this.name = secure ? '__Host-latchkey_session' : 'latchkey_session';
    this.options = { httpOnly: true, sameSite: 'strict', secure, path: '/' };
  }

  read(request: Request): string | undefined {
    return parseCookie(request.headers.cookie ?? '')[this.name];
  }

  set(response: Response, token: string, expires: Date): void {
    response.cookie(this.name, token, { ...this.options, expires });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}

const MINUTES = 10;
const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' };

/**
 * A sign-in at the platform that has begun. The browser that began it stores it encrypted. Every instance can read it,
 * because the key is derived from the shared client secret. The cookie is Lax, because the platform redirects the
 * browser back from another site.
 */
export class SignInCookie {
  private readonly name: string;
  private readonly options: CookieOptions;
  private readonly key: Uint8Array;

  constructor(publicUrl: string, clientSecret: string) {
    const secure = publicUrl.startsWith('https:');
    this.name = secure ? '__Host-latchkey_sign_in' : 'latchkey_sign_in';
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
    this.key = new Uint8Array(hkdfSync('sha256', clientSecret, '', 'latchkey sign-in cookie', 32));
  }

  async set(response: Response, underWay: SignInUnderWay): Promise<void> {
    const value = await new EncryptJWT({ underWay })
      .setProtectedHeader(ENCRYPTION)
      .setExpirationTime(`${MINUTES} minutes`)
      .encrypt(this.key);
    response.cookie(this.name, value, { ...this.options, maxAge: MINUTES * 60_000 });
  }

  /** For one use: the answer deletes the cookie. Undefined when it is missing, invalid or expired. */
  async take(request: Request, response: Response): Promise<SignInUnderWay | undefined> {
    const value = parseCookie(request.headers.cookie ?? '')[this.name];
    if (value === undefined) return undefined;
    response.clearCookie(this.name, this.options);
    const opened = await jwtDecrypt<{ underWay: SignInUnderWay }>(value, this.key, {
      keyManagementAlgorithms: [ENCRYPTION.alg],
      contentEncryptionAlgorithms: [ENCRYPTION.enc],
      requiredClaims: ['exp'],
    }).catch(() => undefined);
    return opened?.payload.underWay;
  }
}
