import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

/** The session cookie. Over https its name carries the __Host- prefix: no other host or path can set or shadow it. */
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
