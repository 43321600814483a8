import type { Response } from 'express';

/** A refusal for a reason of HTTP alone. The core never sees the request, so the error table does not have it. */
export class HttpRefusal extends Error {
  constructor(
    readonly http: number,
    readonly code: string,
    readonly title: string,
    message: string,
  ) {
    super(message);
    this.name = 'HttpRefusal';
  }
}

/** An OAuth 2.0 error (RFC 6749, section 5.2), for clients that understand nothing else. */
export class OAuthRefusal extends Error {
  constructor(
    readonly http: 400 | 401,
    readonly code: 'invalid_client' | 'invalid_request',
    message: string,
  ) {
    super(message);
    this.name = 'OAuthRefusal';
  }

  send(response: Response): void {
    if (this.http === 401) response.set('WWW-Authenticate', 'Basic realm="latchkey", charset="UTF-8"');
    response.status(this.http).json({ error: this.code, error_description: this.message });
  }
}
