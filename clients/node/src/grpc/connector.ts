import { X509Certificate } from 'node:crypto';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Metadata,
  credentials,
  loadPackageDefinition,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { ProtoGrpcType } from '../../../../src/infrastructure/inbound/grpc/generated/api_key_service.js';
import { contract } from '../../../../src/infrastructure/inbound/grpc/generated/contract.js';
import type { ApiKeyServiceClient } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ApiKeyService.js';
import { type GuardOptions, type GuardTls, readTls } from '../options.js';

/** What the guard sets differently from grpc-js. The plain client of the bench runs with the same options. */
export const channelOptions: ChannelOptions = {
  // The service recovers by itself, so reconnect soon after it was lost, and never wait longer than a second.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  // Within 1.8 s this notices a peer that fell silent without closing its connection, even on an idle connection. No
  // connection is idle for so long that a middlebox forgets it.
  'grpc.keepalive_time_ms': 500,
  'grpc.keepalive_timeout_ms': 1300,
  'grpc.keepalive_permit_without_calls': 1,
  // Connects to every address of the service, and opens each stream to the next one.
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // No DNS lookups for a service config: it could add retries, and the lookup delays the first call.
  'grpc.service_config_disable_resolution': 1,
  // Questions about keys must never pass through an HTTP proxy that an environment variable names by chance.
  'grpc.enable_http_proxy': 0,
  // These counts serve a debugging service that the guard does not offer, and every message would update them.
  'grpc.enable_channelz': 0,
  // A load balancer spreads connections, so the guard's two must not become one, and closing a guard must not close the
  // connections of another.
  'grpc.use_local_subchannel_pool': 1,
};

/** Makes clients of the service, with the TLS texts and the identity of this guard. */
export class Connector {
  /** What each call presents. */
  readonly identity = new Metadata();
  private tls: GuardTls | undefined;
  private latest: ChannelCredentials;
  /** Why `tls` could not be read again; empty if it could. */
  private failure = '';

  /** @throws {Error} the TLS texts cannot be read */
  constructor(private readonly options: GuardOptions) {
    if (options.serviceToken) this.identity.set('authorization', `Bearer ${options.serviceToken}`);
    this.tls = options.tls && readTls(options.tls);
    this.latest = credentialsFrom(this.tls);
  }

  /**
   * What the next connection should use: the same object until `tls` returns other texts. While these cannot be used, as
   * between the writing of two files, the last good ones stay.
   */
  credentials(): ChannelCredentials {
    if (typeof this.options.tls !== 'function') return this.latest;
    try {
      const tls = readTls(this.options.tls);
      if (!areSame(tls, this.tls)) this.latest = credentialsFrom(tls);
      this.tls = tls;
      this.failure = '';
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
    return this.latest;
  }

  connect(channelCredentials: ChannelCredentials): ApiKeyServiceClient {
    const { target, channelOptions: wished } = this.options;
    const fixed = { 'grpc.use_local_subchannel_pool': 1 };
    return new (loadContract().ApiKeyService)(target, channelCredentials, { ...channelOptions, ...wished, ...fixed });
  }

  /** What is wrong with the TLS texts, to complete the message of a failure; empty if nothing is known. */
  trouble(): string {
    const unread = this.failure && `; tls could not be read again: ${this.failure}`;
    if (!this.tls?.cert) return unread;
    const { subject, validTo } = new X509Certificate(this.tls.cert);
    const end = new Date(validTo);
    if (end.getTime() > Date.now()) return unread;
    return `${unread}; tls.cert (${subject?.replaceAll('\n', ', ')}) ended on ${end.toISOString()}`;
  }
}

/** Loads the public contract, with the options that its types were generated with. */
export function loadContract() {
  const json = contract as object as Parameters<typeof fromJSON>[0];
  const definition = fromJSON(json, { longs: String, enums: String, defaults: true, oneofs: true });
  return (loadPackageDefinition(definition) as unknown as ProtoGrpcType).latchkey.v1;
}

function credentialsFrom(tls: GuardTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert));
}

function bytes(pem: string | Buffer | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}

function areSame(one: GuardTls, other: GuardTls | undefined): boolean {
  return (['ca', 'cert', 'key'] as const).every((name) => String(one[name]) === String(other?.[name]));
}
