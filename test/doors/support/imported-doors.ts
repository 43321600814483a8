import { headersOf } from '#test/support/callers/forward-auth.js';
import { rawRequest } from '#test/support/callers/raw-http.js';
import { ValidationStream } from '#test/support/callers/validation-stream.js';
import type { Service } from '#test/support/processes/service.js';
import { CLIENT } from './imported-table.js';
import { type Seen, seenOf, type Sent } from './restricted-doors.js';

/** The answer to a key, in the words of imported-table.ts, or `platform` if the service's own check answered. */
export type Door = (key: string, sent: Sent) => Promise<string>;

export interface OpenDoor {
  readonly door: Door;
  stop(): unknown;
}

export const NOT_OURS = { from: 'the platform' };

export function inWords({ status, hasScope, hasRateLimit }: Seen): string {
  return [status, hasScope && 'scope', !hasRateLimit && 'early'].filter(Boolean).join(' ');
}

/** @param headers in addition to the key */
export async function answerOver(url: string, line: string, key: string, headers: readonly string[] = []) {
  const { status, head, body } = await rawRequest({ url }, line, [`Authorization: Bearer ${key}`, ...headers]);
  if (body.includes(NOT_OURS.from)) return 'platform';
  return inWords(seenOf(status, headersOf(head)));
}

/** A service in another language. @returns the status, and the reason of a denial */
export function grpc({ clients }: Service, kind: 'unary' | 'stream', field: 'apiKey' | 'authorization') {
  const stream = kind === 'stream' ? new ValidationStream(clients) : undefined;
  return async (key: string, { operation, permission }: Sent) => {
    const credential = field === 'apiKey' ? { apiKey: key } : { authorization: `Bearer ${key}` };
    const request = { ...credential, operation: `OPERATION_${operation}`, permission, clientIp: CLIENT } as const;
    const { grant, denial, rateLimit } = await (stream ?? { validate: clients.validateRequest }).validate(request);
    const { httpStatus = 0, reason } = denial ?? {};
    return { status: grant ? 200 : httpStatus, reason, isCharged: Boolean(rateLimit) };
  };
}

export async function isActive({ url }: Service, token: string): Promise<unknown> {
  const headers = { authorization: 'Bearer dev-validator-token' };
  const body = new URLSearchParams({ token });
  const response = await fetch(`${url}/v1/introspect`, { method: 'POST', headers, body });
  return ((await response.json()) as { active: boolean }).active ? 'yes' : 'no';
}
