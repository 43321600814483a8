import type { EnvReader } from './env-reader.js';
import { isLoopbackUrl, urlHost } from './network-config.js';
import { type CertificateRole, parseClientRoles } from './service-roles.js';

/** Files in PEM format. The start checks that they are readable. */
export interface GrpcTlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string | undefined;
  readonly clientRoles: readonly CertificateRole[];
}

export function readGrpcTls(reader: EnvReader): GrpcTlsConfig | undefined {
  const certFile = reader.file('GRPC_TLS_CERT');
  const keyFile = reader.file('GRPC_TLS_KEY');
  const clientCaFile = reader.file('GRPC_TLS_CLIENT_CA');
  const clientRoles = reader.list('GRPC_TLS_CLIENT_ROLES', parseClientRoles) ?? [];
  if (certFile && !keyFile) reader.missing('GRPC_TLS_KEY', 'with GRPC_TLS_CERT');
  if (keyFile && !certFile) reader.missing('GRPC_TLS_CERT', 'with GRPC_TLS_KEY');
  if (clientCaFile && !certFile) reader.missing('GRPC_TLS_CERT', 'with GRPC_TLS_CLIENT_CA');
  if (clientRoles.length > 0 && !clientCaFile) reader.missing('GRPC_TLS_CLIENT_CA', 'with GRPC_TLS_CLIENT_ROLES');
  return certFile && keyFile ? { certFile, keyFile, clientCaFile, clientRoles } : undefined;
}

/** Returns whether GRPC_PLAINTEXT is on; otherwise warns of service tokens and keys that others on the network can read. */
export function readGrpcPlaintext(reader: EnvReader, { host, isSafe }: { host: string; isSafe: boolean }): boolean {
  const isIntended = reader.onOrOff('GRPC_PLAINTEXT');
  if (!isIntended && !isSafe && !isLoopbackUrl(`http://${urlHost(host)}`)) {
    reader.warn(
      'GRPC_PORT',
      'is not encrypted: service tokens and keys cross the network readable. Set GRPC_TLS_CERT and GRPC_TLS_KEY, or GRPC_PLAINTEXT=on where a mesh encrypts the connections',
    );
  }
  return isIntended;
}
