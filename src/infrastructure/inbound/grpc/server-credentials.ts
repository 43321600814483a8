import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { GrpcTlsConfig } from '../../../config/grpc-tls-config.js';

const CERTIFICATE_REFRESH_MS = 60_000;

/** Files are read again every minute, so that renewed certificates need no restart. A client certificate is optional. */
export async function serverCredentials(tls: GrpcTlsConfig | undefined): Promise<ServerCredentials> {
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
