import { type ChannelCredentials, type ChannelOptions, Metadata, credentials } from '@grpc/grpc-js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import { type GuardOptions, type GuardTls, defaultDeadlineMs } from '../options.js';
import type { PreparedQuestion } from '../question.js';
import { loadContract } from './proto.js';
import { windowSecondsIn } from './window.js';

export interface Answered {
  readonly response: ValidateKeyResponse;
  readonly windowSeconds: number | undefined;
}

export interface Channel {
  /** Rejects with a gRPC ServiceError when there is no answer within the deadline. */
  ask(question: PreparedQuestion): Promise<Answered>;
  close(): void;
}

const channelOptions: ChannelOptions = {
  // The service resumes by itself: try again soon after it went away, and never wait longer than a second.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  // Notices a peer that vanished without closing its connection, idle or not.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Answers about keys never come by way of an HTTP proxy that happens to stand in the environment.
  'grpc.enable_http_proxy': 0,
  // No DNS lookups for a service config: it could add retries, and they cost time before the first call.
  'grpc.service_config_disable_resolution': 1,
  // Closing a guard closes its own connection and nobody else's.
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * Opens the connection and asks one question per unary call.
 *
 * There is no retry policy. gRPC itself repeats a call that no server has seen, which is always safe. Repeating one that
 * a server may have judged would charge the key's rate limit and record a failure twice, and would double the load
 * just when the service says UNAVAILABLE; within 200 ms it rarely helps.
 */
export function openChannel(options: GuardOptions): Channel {
  const { ApiKeyService } = loadContract(options.protoDir);
  const deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
  const client = new ApiKeyService(options.target, credentialsFrom(options.tls), {
    ...channelOptions,
    ...options.channelOptions,
  });
  const identity = new Metadata({ waitForReady: false });
  if (options.serviceToken) identity.set('authorization', `Bearer ${options.serviceToken}`);
  // Connecting now spares the first request the handshake.
  client.getChannel().getConnectivityState(true);

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const request = { ...question, operation: `OPERATION_${question.operation}` as const };
        let windowSeconds: number | undefined;
        const call = client.validateKey(request, identity, { deadline: Date.now() + deadlineMs }, (error, response) => {
          if (response) resolve({ response, windowSeconds });
          else reject(error ?? new Error('neither an answer nor an error'));
        });
        call.on('metadata', (metadata) => (windowSeconds = windowSecondsIn(metadata)));
      }),
    close: () => client.close(),
  };
}

function credentialsFrom(tls: GuardTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert));
}

function bytes(pem: string | Buffer | undefined): Buffer | null {
  if (pem === undefined) return null;
  return typeof pem === 'string' ? Buffer.from(pem) : pem;
}
