import type { experimental } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { GrpcTlsConfig } from '../../../config/grpc-tls-config.js';
import type { Log } from '../../telemetry/log.js';

type Files = Pick<GrpcTlsConfig, 'certFile' | 'keyFile' | 'clientCaFile'>;
type Provider = experimental.CertificateProvider;
type Listener<Method extends keyof Provider> = Parameters<Provider[Method]>[0];

const REFRESH_MS = 60_000;

/**
 * The certificate of the server and the authority of its clients. Reads the files again every minute, so renewed ones need
 * no restart, and keeps the last ones that work together: a renewal writes one file after the other.
 */
export class GrpcCertificates implements Provider {
  private current: {
    readonly certificate: Buffer;
    readonly privateKey: Buffer;
    readonly caCertificate: Buffer | undefined;
  };
  private readonly caListeners = new Set<Listener<'addCaCertificateListener'>>();
  private readonly identityListeners = new Set<Listener<'addIdentityCertificateListener'>>();
  private readonly timer: NodeJS.Timeout;
  private isWarned = false;

  /** @throws the files don't work */
  constructor(
    private readonly files: Files,
    private readonly log: Pick<Log, 'warn' | 'info'>,
    refreshMs = REFRESH_MS,
  ) {
    this.current = read(files);
    this.timer = setInterval(() => this.refresh(), refreshMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  addCaCertificateListener(listener: Listener<'addCaCertificateListener'>): void {
    this.caListeners.add(listener);
    process.nextTick(() => this.tellCa(listener));
  }

  removeCaCertificateListener(listener: Listener<'addCaCertificateListener'>): void {
    this.caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: Listener<'addIdentityCertificateListener'>): void {
    this.identityListeners.add(listener);
    process.nextTick(() => listener(this.current));
  }

  removeIdentityCertificateListener(listener: Listener<'addIdentityCertificateListener'>): void {
    this.identityListeners.delete(listener);
  }

  private refresh(): void {
    try {
      this.current = read(this.files);
    } catch (error) {
      if (!this.isWarned) {
        this.log.warn('gRPC keeps its earlier certificate until the files fit', { reason: (error as Error).message });
      }
      this.isWarned = true;
      return;
    }
    if (this.isWarned) this.log.info('gRPC has its new certificate');
    this.isWarned = false;
    for (const listener of this.identityListeners) listener(this.current);
    for (const listener of this.caListeners) this.tellCa(listener);
  }

  private tellCa(listener: Listener<'addCaCertificateListener'>): void {
    const { caCertificate } = this.current;
    listener(caCertificate === undefined ? null : { caCertificate });
  }
}

/** @throws an Error that names the variables */
function read({ certFile, keyFile, clientCaFile }: Files) {
  const [certificate, privateKey] = [readFileSync(certFile), readFileSync(keyFile)];
  const caCertificate = clientCaFile === undefined ? undefined : readFileSync(clientCaFile);
  must('GRPC_TLS_CERT has no certificate in PEM', () => createSecureContext({ cert: certificate }));
  must('GRPC_TLS_KEY has no private key in PEM, or one with a password', () =>
    createSecureContext({ key: privateKey }),
  );
  must('GRPC_TLS_KEY does not fit the certificate in GRPC_TLS_CERT', () =>
    createSecureContext({ cert: certificate, key: privateKey }),
  );
  if (caCertificate) {
    must('GRPC_TLS_CLIENT_CA has no certificate in PEM', () => {
      if (!caCertificate.includes('BEGIN CERTIFICATE')) throw new Error('there is none');
      createSecureContext({ ca: caCertificate });
    });
  }
  return { certificate, privateKey, caCertificate };
}

function must(problem: string, work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    throw new Error(`${problem} (${(cause as Error).message})`, { cause });
  }
}
