import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type * as proto from '../generated/types.js';
import { codecOf, loadProto, methodOf } from '../protos.js';

export const AUTHORIZATION_PROTO = 'envoy/service/auth/v3/external_auth.proto';

const root = loadProto(AUTHORIZATION_PROTO);
const checks = codecOf<proto.CheckRequest__Output>(root.lookupType('envoy.service.auth.v3.CheckRequest'));
const answers = codecOf<proto.CheckResponse>(root.lookupType('envoy.service.auth.v3.CheckResponse'));

export const AUTHORIZATION_SERVICE: ServiceDefinition<UntypedServiceImplementation> = {
  Check: methodOf('/envoy.service.auth.v3.Authorization/Check', checks, answers),
};

/** The first action appends the header to one of the same name; the second leaves such a header as it is, the third replaces it. */
export const { APPEND_IF_EXISTS_OR_ADD, ADD_IF_ABSENT, OVERWRITE_IF_EXISTS_OR_ADD } = root.lookupEnum(
  'envoy.config.core.v3.HeaderValueOption.HeaderAppendAction',
).values as { APPEND_IF_EXISTS_OR_ADD: 0; ADD_IF_ABSENT: 1; OVERWRITE_IF_EXISTS_OR_ADD: 2 };
