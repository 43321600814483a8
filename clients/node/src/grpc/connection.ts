import { type ChannelCredentials, type ChannelOptions, Metadata, credentials } from '@grpc/grpc-js';
import type { ApiKeyServiceClient } from '../generated/latchkey/v1/ApiKeyService.js';
import type { GuardOptions, GuardTls } from '../options.js';
import { loadContract } from './load-contract.js';

/** What the guard sets differently from grpc-js. The plain client of the bench runs with the same options. */
export const channelOptions: ChannelOptions = {
  // The service recovers by itself, so reconnect soon after it was lost, and never wait longer than a second.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  // Notices a peer that disappeared without closing its connection, even on an idle connection.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Questions about keys must never pass through an HTTP proxy that an environment variable names by chance.
  'grpc.enable_http_proxy': 0,
  // No DNS lookups for a service config: it could add retries, and the lookup delays the first call.
  'grpc.service_config_disable_resolution': 1,
  // These counts serve a debugging service that the guard does not offer, and every message would update them.
  'grpc.enable_channelz': 0,
  // A load balancer spreads connections, so the guard's two must not become one, and closing a guard must not close the
  // connections of another.
  'grpc.use_local_subchannel_pool': 1,
};

/** One connection to the service, with the identity that each of its calls presents. */
export interface Connection {
  readonly client: ApiKeyServiceClient;
  readonly identity: Metadata;
  readonly streamPath: string;
}

/**
 * Prepares connections: each call of the returned function makes a new one.
 *
 * @throws {Error} the TLS texts cannot be read
 */
export function connector(options: GuardOptions): () => Connection {
  const { ApiKeyService } = loadContract();
  const channelCredentials = credentialsFrom(options.tls);
  const identity = new Metadata({ waitForReady: false });
  if (options.serviceToken) identity.set('authorization', `Bearer ${options.serviceToken}`);
  return () => ({
    client: new ApiKeyService(options.target, channelCredentials, {
      ...channelOptions,
      ...options.channelOptions,
      'grpc.use_local_subchannel_pool': 1,
    }),
    identity,
    streamPath: ApiKeyService.service.ValidateKeys.path,
  });
}

function credentialsFrom(tls: GuardTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert));
}

function bytes(pem: string | Buffer | undefined): Buffer | null {
  if (pem === undefined) return null;
  return typeof pem === 'string' ? Buffer.from(pem) : pem;
}
