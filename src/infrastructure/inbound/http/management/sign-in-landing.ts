import type { Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';
import type { Log } from '../../../telemetry/log.js';

/** What the settings screen says to a person who comes back: the part of its address that no server and no log sees. */
type Message = 'signed-in' | 'signed-in=another' | `refused=${string}`;

/** Brings people from a sign-in at the platform back to the settings screen, whatever came of it. */
export class SignInLanding {
  private readonly page: string;

  constructor(
    publicUrl: string,
    private readonly log: Log,
  ) {
    this.page = `${publicUrl}/settings/api-keys`;
  }

  send(response: Response, message: Message): void {
    response.redirect(303, `${this.page}#${message}`);
  }

  /** A person who followed a link is to see a page, and the people who run the service the reason. */
  async orRefuse(response: Response, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      this.log.warn('nobody was signed in at the platform', { code: error.code, reason });
      this.send(response, error.code === 'invalid_credentials' ? 'refused=failed' : 'refused=unavailable');
    }
  }
}
