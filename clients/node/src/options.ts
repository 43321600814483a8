import type { ChannelOptions } from '@grpc/grpc-js';
import { CREDENTIAL_FORMS, type CredentialForm } from '../../../src/domain/keys/credential.js';
import type { Hooks } from './hooks.js';
import type { ClientAddress } from './http/client-address.js';
import type { OperationsByMethod } from './operation.js';

/** PEM texts. An empty object means TLS with the certificate authorities that Node trusts. */
export interface GuardTls {
  /** The certificate authorities to trust instead of Node's. */
  readonly ca?: string | Buffer | undefined;
  /** This service's own certificate and its private key, for mTLS. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

export interface GuardOptions extends Hooks {
  /** Latchkey's gRPC address, as a gRPC target: `latchkey.internal:50051`. */
  readonly target: string;
  /** The token of a service identity with the role `validator`. Not needed with `tls.cert`. */
  readonly serviceToken?: string | undefined;
  /**
   * Without it the connection is plain text, which is for loopback and for networks that encrypt by themselves. A function
   * is called for each new connection, so that it can read renewed files.
   */
  readonly tls?: GuardTls | (() => GuardTls) | undefined;
  /** How long a request waits for its decision at most, in milliseconds. Then it is answered 503. Default 200. */
  readonly deadlineMs?: number | undefined;
  /** Operations of HTTP methods that differ from the defaults: `{ REPORT: 'READ' }`. */
  readonly operations?: OperationsByMethod | undefined;
  /**
   * Where a request may carry its key: `bearer`, `x-api-key` (`X-API-Key: <key>`), `basic` (the password, for any user
   * name). A form that is not named is not read; more than one credential is 401. Default `['bearer']`.
   */
  readonly credentials?: readonly CredentialForm[] | undefined;
  /**
   * The service's KEY_PREFIX, by which `otherwise` and `isApiKey` know a key. Default `lk`. Imported keys (IMPORT_PREFIXES)
   * have no such marker: both take them for something else.
   */
  readonly keyPrefix?: string | undefined;
  /**
   * Finds the client's address where the framework cannot: `({ headers }) => headers?.['cf-connecting-ip']`. Only read
   * what your proxy sets and no client can. Default: the framework's `ip`, see README.
   */
  readonly clientAddress?: ClientAddress | undefined;
  /**
   * Whether the guard writes to standard error why requests are answered with 503: the first failure, then at most one
   * line a minute. Default true. `onError` gets each failure either way.
   */
  readonly logFailures?: boolean | undefined;
  /**
   * Whether the guard grants further requests of a key by itself, for a moment after Latchkey granted one. A change waits
   * until no such moment is left, so no request is granted against it. It needs `LEASE_MS` in Latchkey. Not for
   * platforms that freeze processes between requests. Default false.
   */
  readonly leases?: boolean | undefined;
  /** gRPC channel options that replace the guard's own. */
  readonly channelOptions?: ChannelOptions | undefined;
}

/**
 * The service promises to answer UNAVAILABLE within DATABASE_PATIENCE_MS (120) and 30 ms when its database is
 * unavailable. With 50 ms more for the network, this answer, which names the true reason, arrives before the guard
 * gives up. A grant takes a few milliseconds.
 */
export const defaultDeadlineMs = 200;

/** @throws {TypeError} an option is missing or unusable. The message never contains a token. */
export function assertUsable(options: GuardOptions): void {
  const { target, serviceToken, tls, deadlineMs, clientAddress, keyPrefix = 'lk', leases } = options;
  if (!target) throw new TypeError('createGuard: target is missing');
  if (!serviceToken && !(tls && readTls(tls).cert))
    throw new TypeError('createGuard: serviceToken is missing (or tls.cert, for mTLS)');
  // What gRPC metadata cannot carry. Its own error would print the token.
  if (serviceToken && !/^[\x21-\x7e]+$/.test(serviceToken)) {
    throw new TypeError('createGuard: serviceToken contains spaces or characters beyond ASCII');
  }
  if (deadlineMs !== undefined && !(deadlineMs > 0 && Number.isFinite(deadlineMs))) {
    throw new TypeError('createGuard: deadlineMs is not a positive number');
  }
  if (clientAddress !== undefined && typeof clientAddress !== 'function') {
    throw new TypeError('createGuard: clientAddress is not a function');
  }
  const { credentials = ['bearer'] } = options;
  const areForms = Array.isArray(credentials) && credentials.every((form) => CREDENTIAL_FORMS.includes(form));
  if (!areForms || credentials.length === 0) {
    throw new TypeError(
      `createGuard: credentials must name at least one of ${CREDENTIAL_FORMS.join(', ')}, and nothing else`,
    );
  }
  if (leases !== undefined && typeof leases !== 'boolean') throw new TypeError('createGuard: leases is not a boolean');
  if (!/^[a-z][a-z0-9]{0,15}$/.test(keyPrefix)) {
    throw new TypeError('createGuard: keyPrefix is not 1 to 16 lower-case letters and digits, a letter first');
  }
}

/** @throws {TypeError} the function returns no object, for example a promise */
export function readTls(tls: NonNullable<GuardOptions['tls']>): GuardTls {
  const read: unknown = typeof tls === 'function' ? tls() : tls;
  if (typeof read === 'object' && read !== null && !(read instanceof Promise)) return read;
  throw new TypeError('createGuard: tls() did not return { ca?, cert?, key? }');
}
