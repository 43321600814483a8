import type { ChannelOptions } from '@grpc/grpc-js';

export const MAX_MESSAGE_BYTES = 64 * 1024;
const MINUTE_MS = 60_000;

/** What our gRPC server sets differently from grpc-js. The empty call in the benchmark uses the same options. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_concurrent_streams': 1000,
  // Channelz would count every call, for a debugging service that we do not offer.
  'grpc.enable_channelz': 0,
  // Connections end after a while, so that clients reconnect, reach new instances, and no stream stays open for ever.
  'grpc.max_connection_age_ms': 60 * MINUTE_MS,
  'grpc.max_connection_age_grace_ms': MINUTE_MS / 2,
  'grpc.keepalive_time_ms': MINUTE_MS,
  'grpc.keepalive_timeout_ms': MINUTE_MS / 3,
};
