import type { PeerCertificate } from 'node:tls';
import type { Metadata } from '@grpc/grpc-js';
import type { Caller } from '../shared/service-identity.js';

/** The part of a grpc-js server call that says who is calling. */
interface IdentifiedCall {
  readonly metadata: Metadata;
  getAuthContext(): { sslPeerCertificate?: PeerCertificate | undefined } | null;
}

export function callerOf(call: IdentifiedCall): Caller {
  return {
    authorization: call.metadata.get('authorization').map(String),
    certificate: () => call.getAuthContext()?.sslPeerCertificate,
  };
}
