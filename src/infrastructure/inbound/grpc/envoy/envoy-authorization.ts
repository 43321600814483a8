import { status } from '@grpc/grpc-js';
import { type CredentialForm, credentialHeaders } from '#domain/keys/credential.js';
import { answerToProxy, challenging, type KeyAnswer, UNAVAILABLE } from '../../shared/key-answers.js';
import type { ProxyParts } from '../../shared/route-table.js';
import type * as proto from '../generated/types.js';
import type { GrpcDoor, UnaryMethod } from '../grpc-door.js';
import { loadProto, serviceIn } from '../protos.js';
import { readCheck } from './read-check.js';

const AUTHORIZATION_PROTO = 'envoy/service/auth/v3/external_auth.proto';

const root = loadProto(AUTHORIZATION_PROTO);
export const AUTHORIZATION_SERVICE = serviceIn(root, 'envoy.service.auth.v3.Authorization');

/** The first action appends the header to one of the same name; the second leaves such a header as it is, the third replaces it. */
const { APPEND_IF_EXISTS_OR_ADD, ADD_IF_ABSENT, OVERWRITE_IF_EXISTS_OR_ADD } = root.lookupEnum(
  'envoy.config.core.v3.HeaderValueOption.HeaderAppendAction',
).values as { APPEND_IF_EXISTS_OR_ADD: 0; ADD_IF_ABSENT: 1; OVERWRITE_IF_EXISTS_OR_ADD: 2 };

/** `envoy.service.auth.v3.Authorization`: Envoy's filter ext_authz calls it before it lets a request through. */
export class EnvoyAuthorization implements GrpcDoor {
  readonly service = 'envoy.service.auth.v3.Authorization';
  readonly proto = AUTHORIZATION_PROTO;
  readonly definition = AUTHORIZATION_SERVICE;
  readonly role = 'validator';
  readonly methods;

  constructor(private readonly parts: ProxyParts) {
    const Check: UnaryMethod<proto.CheckRequest__Output, proto.CheckResponse> = {
      answer: (check, { name }) => this.answer(check, name),
      requestId: (check) => readCheck(check, parts).client.requestId ?? undefined,
      // Envoy treats a gRPC error as a failed authorization service, and with `failure_mode_allow` it then lets the
      // request through. So our errors are denials too.
      answerToError: () => toCheckAnswer(UNAVAILABLE, parts.credentials),
    };
    this.methods = { Check };
  }

  private async answer(wire: proto.CheckRequest__Output, service: string): Promise<proto.CheckResponse> {
    const { credential, challenge, question, client, fault } = readCheck(wire, this.parts);
    if (fault) this.parts.log.warnOnce('a route of Envoy is misconfigured and refuses every key', { fault }, fault);
    const validation = await this.parts.validateKey.execute({ credential, question, client, service });
    return toCheckAnswer(challenging(answerToProxy(validation), challenge), this.parts.credentials, fault);
  }
}

const DENIED: Readonly<Record<Exclude<KeyAnswer['status'], 200>, number>> = {
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** Headers that identify the owner and the key. They go to the service behind Envoy; all others go to the client. */
const IDENTITY = /^X-Latchkey-/;

/** @param fault what is wrong with Envoy's configuration, for Envoy's trace log; the client does not see it */
function toCheckAnswer(
  { status: http, headers, body = '' }: KeyAnswer,
  forms: readonly CredentialForm[],
  fault = '',
): proto.CheckResponse {
  if (http !== 200) {
    // Not to be stored, as every answer over HTTP.
    const all = Object.entries({ ...headers, [CACHE_CONTROL]: 'no-store' });
    const deniedResponse = { status: { code: http }, headers: all.map(toHeader), body };
    return { status: { code: DENIED[http], message: fault }, deniedResponse };
  }
  const isPrivate = forms.includes('x-api-key');
  const named = Object.entries({ ...headers, ...(isPrivate && { [CACHE_CONTROL]: 'private' }) });
  return {
    status: { code: status.OK, message: '' },
    okResponse: {
      headers: named.filter(([name]) => IDENTITY.test(name)).map(toHeader),
      headersToRemove: credentialHeaders(forms),
      responseHeadersToAdd: named.filter(([name]) => !IDENTITY.test(name)).map(toAddedHeader),
    },
  };
}

/** Shared caches know Authorization only. What the service behind Envoy says of its answer counts. */
const CACHE_CONTROL = 'Cache-Control';

/** What the service behind Envoy may send too. Our other headers replace the service's. */
const ACTIONS: Readonly<Record<string, 0 | 1>> = {
  'Access-Control-Expose-Headers': APPEND_IF_EXISTS_OR_ADD,
  [CACHE_CONTROL]: ADD_IF_ABSENT,
};

/** In lower case, as in HTTP/2. Envoy accepts both, but gRPC's proxyless clients ignore names with capitals. */
function toHeader([name, value]: [string, string]): proto.HeaderValueOption {
  const appendAction = OVERWRITE_IF_EXISTS_OR_ADD;
  return { header: { key: name.toLowerCase(), value }, appendAction, keepEmptyValue: true };
}

function toAddedHeader(named: [string, string]): proto.HeaderValueOption {
  return { ...toHeader(named), appendAction: ACTIONS[named[0]] ?? OVERWRITE_IF_EXISTS_OR_ADD };
}
