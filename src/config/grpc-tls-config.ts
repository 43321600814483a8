import { isLoopbackUrl, urlHost } from './network-config.js';
import type { Settings } from './settings.js';

export type GrpcTlsConfig = NonNullable<ReturnType<typeof readGrpcTls>>;

/** Files in PEM format. */
export function readGrpcTls(settings: Settings) {
  const certFile = settings.get('GRPC_TLS_CERT');
  const keyFile = settings.get('GRPC_TLS_KEY');
  const clientCaFile = settings.get('GRPC_TLS_CLIENT_CA');
  const clientRoles = settings.get('GRPC_TLS_CLIENT_ROLES');
  return certFile && keyFile ? { certFile, keyFile, clientCaFile, clientRoles } : undefined;
}

/** Returns whether GRPC_PLAINTEXT is on; otherwise warns of service tokens and keys that others on the network can read. */
export function readGrpcPlaintext(settings: Settings, { host, isSafe }: { host: string; isSafe: boolean }): boolean {
  const isIntended = settings.get('GRPC_PLAINTEXT');
  if (!isIntended && !isSafe && !isLoopbackUrl(`http://${urlHost(host)}`)) {
    settings.warn(
      'GRPC_PORT',
      'is not encrypted: service tokens and keys cross the network readable. Set GRPC_TLS_CERT and GRPC_TLS_KEY, or GRPC_PLAINTEXT=on where a mesh encrypts the connections',
    );
  }
  return isIntended;
}
