import { status } from '@grpc/grpc-js';
import type { KeyAnswer } from '../../shared/key-answers.js';
import {
  APPEND_IF_EXISTS_OR_ADD,
  OVERWRITE_IF_EXISTS_OR_ADD,
  type WireCheckAnswer,
  type WireHeader,
} from './check-messages.js';

const DENIED: Readonly<Record<Exclude<KeyAnswer['status'], 200>, number>> = {
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** Headers that identify the owner and the key. They go to the service behind Envoy; all others go to the client. */
const IDENTITY = /^X-Latchkey-/;

/** @param fault what is wrong with Envoy's configuration, for Envoy's trace log; the client does not see it */
export function toCheckAnswer({ status: http, headers, body = '' }: KeyAnswer, fault = ''): WireCheckAnswer {
  const named = Object.entries(headers);
  if (http !== 200) {
    const deniedResponse = { status: { code: http }, headers: named.map(toHeader), body };
    return { status: { code: DENIED[http], message: fault }, deniedResponse };
  }
  return {
    status: { code: status.OK, message: '' },
    okResponse: {
      headers: named.filter(([name]) => IDENTITY.test(name)).map(toHeader),
      headersToRemove: ['authorization'],
      responseHeadersToAdd: named.filter(([name]) => !IDENTITY.test(name)).map(toHeader),
    },
  };
}

/** The service behind Envoy may send this header too, so ours is appended. Our other headers replace the service's. */
const SHARED = 'Access-Control-Expose-Headers';

/** In lower case, as in HTTP/2. Envoy accepts both, but gRPC's proxyless clients ignore names with capitals. */
function toHeader([name, value]: [string, string]): WireHeader {
  const appendAction = name === SHARED ? APPEND_IF_EXISTS_OR_ADD : OVERWRITE_IF_EXISTS_OR_ADD;
  return { header: { key: name.toLowerCase(), value }, appendAction, keepEmptyValue: true };
}
