import type { Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';

/** A request refused for what HTTP itself says of it. The core never hears of it, so neither does the table of its errors. */
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

/** A refusal in the words of OAuth 2.0 (RFC 6749, section 5.2), for clients that speak nothing else. */
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

/** The answer to an address that leads nowhere, or that a setting has closed. */
export function nothingHere(): LatchkeyError {
  return new LatchkeyError('not_found', 'There is nothing at this address');
}
