import { experimental, Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcOptions, Transport } from '@nestjs/microservices';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { HealthImplementation } from 'grpc-health-check';
import type { Config, GrpcTlsConfig } from '../../../config/config.js';
import { urlHost } from '../../../config/network-config.js';
import { AUTHORIZATION_PROTO } from './envoy/check-messages.js';
import { PROTO_ROOT } from './protos.js';

const ACCOUNT_PROTO = 'latchkey/v1/account_service.proto';
const PROTO_FILES = ['latchkey/v1/api_key_service.proto', ACCOUNT_PROTO, AUTHORIZATION_PROTO];
/** The same as the generated types were made with. */
const PROTO_OPTIONS = { longs: String, enums: String, defaults: true, oneofs: true, includeDirs: [PROTO_ROOT] };

const MAX_MESSAGE_BYTES = 64 * 1024;
const CERTIFICATE_REFRESH_MS = 60_000;
const MINUTE_MS = 60_000;

/** Stands on the server itself, beside what Nest serves. */
export interface ServerPart {
  addTo(server: Server): void;
}

/** @param onServer told of the server before it listens */
export async function grpcServerOptions(
  config: Config,
  health: HealthImplementation,
  parts: readonly ServerPart[],
  onServer: (server: Server) => void,
): Promise<GrpcOptions> {
  return {
    transport: Transport.GRPC,
    options: {
      url: `${urlHost(config.host)}:${config.grpcPort}`,
      package: 'latchkey.v1',
      protoPath: ACCOUNT_PROTO,
      loader: PROTO_OPTIONS,
      credentials: await serverCredentials(config.grpcTls),
      maxReceiveMessageLength: MAX_MESSAGE_BYTES,
      channelOptions: {
        'grpc.max_concurrent_streams': 1000,
        // Counts for a debugging service that we do not offer, on every call.
        'grpc.enable_channelz': 0,
        // Clients move on now and then, so that load finds new instances and no stream lives for ever.
        'grpc.max_connection_age_ms': 60 * MINUTE_MS,
        'grpc.max_connection_age_grace_ms': MINUTE_MS / 2,
        'grpc.keepalive_time_ms': MINUTE_MS,
        'grpc.keepalive_timeout_ms': MINUTE_MS / 3,
      },
      onLoadPackageDefinition: (_definition, server: Server) => {
        health.addToServer(server);
        new ReflectionService(loadSync(PROTO_FILES, PROTO_OPTIONS)).addToServer(server);
        for (const part of parts) part.addTo(server);
        onServer(server);
      },
    },
  };
}

/** Files are read again every minute, so that renewed certificates need no restart. A client certificate is optional. */
async function serverCredentials(tls: GrpcTlsConfig | undefined): Promise<ServerCredentials> {
  if (!tls) return ServerCredentials.createInsecure();
  const files = new experimental.FileWatcherCertificateProvider({
    certificateFile: tls.certFile,
    privateKeyFile: tls.keyFile,
    caCertificateFile: tls.clientCaFile,
    refreshIntervalMs: CERTIFICATE_REFRESH_MS,
  });
  await firstRead(files);
  return experimental.createCertificateProviderServerCredentials(files, tls.clientCaFile ? files : null, false);
}

/** A server that listens before it has its certificate would turn its first clients away. */
function firstRead(files: experimental.FileWatcherCertificateProvider): Promise<void> {
  return new Promise((resolve) => {
    const onRead = () => {
      files.removeIdentityCertificateListener(onRead);
      resolve();
    };
    files.addIdentityCertificateListener(onRead);
  });
}
