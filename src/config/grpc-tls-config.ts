import type { EnvReader } from './env-reader.js';
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
