import type { Response } from 'express';
import type { Client } from '#domain/audit/audit-event.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { type CredentialForm, readCredential } from '#domain/keys/credential.js';
import { headerValues } from '../../shared/http-connections.js';
import { keyStringIn } from '../../shared/request-facts.js';
import { challenging, type KeyAnswer, UNAVAILABLE } from '../../shared/key-answers.js';
import { clientOf, type LatchkeyRequest } from './request.js';

/** Answers requests with a key, in the same form as every service that accepts keys. */
export class KeyRequests {
  constructor(private readonly log: Log) {}

  /**
   * @param judge decides on the credential, which is undefined when there is none or more than one
   * @param forms where it may stand
   * @param host see RequestHeaders
   * @returns the answer of `judge`, or 503 when it throws
   */
  async answer(
    request: LatchkeyRequest,
    judge: (credential: string | undefined, client: Client) => Promise<KeyAnswer>,
    forms: readonly CredentialForm[] = ['bearer'],
    host?: string,
  ): Promise<KeyAnswer> {
    try {
      const headers = { values: (name: string) => headerValues(request, name), host: () => host };
      const { credential, challenge } = readCredential(forms, headers);
      return challenging(await judge(keyStringIn(credential), clientOf(request)), challenge);
    } catch (error) {
      this.log.fault(error, request);
      return UNAVAILABLE;
    }
  }
}

/** `send` would add headers. */
export function sendKeyAnswer(response: Response, { status, headers, body }: KeyAnswer): void {
  response
    .status(status)
    .setHeaders(new Map(Object.entries(headers)))
    .end(body);
}
