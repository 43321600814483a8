import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server, type TlsOptions } from 'node:tls';
import type { GrpcTlsConfig } from '#config/grpc-tls-config.js';
import type { Log } from '#infrastructure/telemetry/log.js';

type Files = Pick<GrpcTlsConfig, 'certFile' | 'keyFile' | 'clientCaFile'>;

const REFRESH_MS = 60_000;

/**
 * The certificate of the services' listeners and the authority of their clients. Reads the files again every minute, so renewed ones need
 * no restart, and keeps the last ones that work together: a renewal writes one file after the other.
 */
export class GrpcCertificates {
  current: SecureContextOptions;
  private readonly listeners = new Set<Pick<Server, 'setSecureContext'>>();
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

  /** For a listener that asks for a client certificate where an authority of clients is set, and does not require it. */
  get options(): TlsOptions {
    return { ...this.current, requestCert: this.current.ca !== undefined, rejectUnauthorized: false };
  }

  /** Gives a listener every renewed certificate. */
  renewFor(listener: Pick<Server, 'setSecureContext'>): void {
    this.listeners.add(listener);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refresh(): void {
    try {
      this.current = read(this.files);
    } catch (error) {
      if (!this.isWarned) {
        this.log.warn('TLS keeps its earlier certificate until the files fit', { reason: (error as Error).message });
      }
      this.isWarned = true;
      return;
    }
    if (this.isWarned) this.log.info('TLS has its new certificate');
    this.isWarned = false;
    for (const listener of this.listeners) listener.setSecureContext(this.current);
  }
}

/** @throws an Error that names the variables */
function read({ certFile, keyFile, clientCaFile }: Files): SecureContextOptions {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const ca = clientCaFile === undefined ? undefined : readFileSync(clientCaFile);
  must('GRPC_TLS_CERT has no certificate in PEM', () => createSecureContext({ cert }));
  must('GRPC_TLS_KEY has no private key in PEM, or one with a password', () => createSecureContext({ key }));
  must('GRPC_TLS_KEY does not fit the certificate in GRPC_TLS_CERT', () => createSecureContext({ cert, key }));
  if (ca) {
    must('GRPC_TLS_CLIENT_CA has no certificate in PEM', () => {
      if (!ca.includes('BEGIN CERTIFICATE')) throw new Error('there is none');
      createSecureContext({ ca });
    });
  }
  return { cert, key, ...(ca && { ca }) };
}

function must(problem: string, work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    throw new Error(`${problem} (${(cause as Error).message})`, { cause });
  }
}
