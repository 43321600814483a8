import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { codecOf, loadProto } from '../protos.js';

export interface WireEntry {
  readonly key: string;
  readonly value: string;
}

/** A request as Envoy describes it. Absent texts are empty, absent messages null. */
export interface WireCheck {
  readonly attributes: {
    readonly source: {
      readonly address: { readonly socketAddress: { readonly address: string } | null } | null;
    } | null;
    readonly request: {
      readonly http: {
        readonly id: string;
        readonly method: string;
        /** With the query. */
        readonly path: string;
        /** With its port, if the client named it. */
        readonly host: string;
        readonly headers: readonly WireEntry[];
        readonly headerMap: { readonly headers: readonly { readonly key: string; readonly rawValue: Buffer }[] } | null;
      } | null;
    } | null;
    readonly contextExtensions: readonly WireEntry[];
  } | null;
}

export interface WireHeader {
  readonly header: WireEntry;
  readonly appendAction: number;
  readonly keepEmptyValue: boolean;
}

export interface WireCheckAnswer {
  readonly status: { readonly code: number; readonly message: string };
  readonly okResponse?: {
    readonly headers: readonly WireHeader[];
    readonly headersToRemove: readonly string[];
    readonly responseHeadersToAdd: readonly WireHeader[];
  };
  readonly deniedResponse?: {
    readonly status: { readonly code: number };
    readonly headers: readonly WireHeader[];
    readonly body: string;
  };
}

export const AUTHORIZATION_PROTO = 'envoy/service/auth/v3/external_auth.proto';

const root = loadProto(AUTHORIZATION_PROTO);
const checks = codecOf<WireCheck>(root.lookupType('envoy.service.auth.v3.CheckRequest'));
const answers = codecOf<WireCheckAnswer>(root.lookupType('envoy.service.auth.v3.CheckResponse'));

export const AUTHORIZATION_SERVICE: ServiceDefinition<UntypedServiceImplementation> = {
  Check: {
    path: '/envoy.service.auth.v3.Authorization/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: checks.encode,
    requestDeserialize: checks.decode,
    responseSerialize: answers.encode,
    responseDeserialize: answers.decode,
  },
};

/** The first action appends the header to one of the same name; the second leaves such a header as it is, the third replaces it. */
export const { APPEND_IF_EXISTS_OR_ADD, ADD_IF_ABSENT, OVERWRITE_IF_EXISTS_OR_ADD } = root.lookupEnum(
  'envoy.config.core.v3.HeaderValueOption.HeaderAppendAction',
).values as Readonly<Record<'APPEND_IF_EXISTS_OR_ADD' | 'ADD_IF_ABSENT' | 'OVERWRITE_IF_EXISTS_OR_ADD', number>>;
