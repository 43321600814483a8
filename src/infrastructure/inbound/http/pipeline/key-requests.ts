import type { Response } from 'express';
import type { Client } from '#domain/audit/audit-event.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { type CredentialForm, readCredential } from '#domain/keys/credential.js';
import { headerValues, keyStringIn } from '../../shared/request-facts.js';
import { challenging, type KeyAnswer, UNAVAILABLE } from '../../shared/key-answers.js';
import { clientOf, type LatchkeyRequest } from './request.js';

interface Credentials {
  /** Where one may stand. */
  readonly forms: readonly CredentialForm[];
  /** See RequestHeaders. */
  readonly host?: string | undefined;
}

/**
 * Answers a request with a key, in the same form as every service that accepts keys: with 503 when `judge` throws.
 * @param judge decides on the credential, which is undefined when there is none or more than one
 */
export async function answerKey(
  request: LatchkeyRequest,
  { forms, host }: Credentials,
  judge: (credential: string | undefined, client: Client) => Promise<KeyAnswer>,
  log: Log,
): Promise<KeyAnswer> {
  try {
    const headers = { values: (name: string) => headerValues(request, name), host: () => host };
    const { credential, challenge } = readCredential(forms, headers);
    return challenging(await judge(keyStringIn(credential), clientOf(request)), challenge);
  } catch (error) {
    log.fault(error, request);
    return UNAVAILABLE;
  }
}

/** `send` would add headers. */
export function sendKeyAnswer(response: Response, { status, headers, body }: KeyAnswer): void {
  response
    .status(status)
    .setHeaders(new Map(Object.entries(headers)))
    .end(body);
}
