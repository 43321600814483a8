import type { Reason as WireReason } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Reason.js';

/** The account and the key that the request acts with. */
export interface Principal {
  readonly keyId: string;
  /** The account that the key belongs to. */
  readonly ownerId: string;
  readonly access: 'read-only' | 'read-and-write';
  /** The permissions of the owner that the key may use, read for this request. */
  readonly permissions: readonly string[];
  /**
   * What your platform says of the account, by name, such as `{ tenant: 'acme' }`. Neither the owner nor the key can
   * choose it. Empty with an older service. The object has no prototype, so a name that nobody set is undefined.
   */
  readonly attributes: Readonly<Partial<Record<string, string>>>;
  readonly expiresAt: Date;
}

/** The state of the key's rate limit. */
export interface RateLimit {
  /** Requests that a key may send at once after a pause. */
  readonly limit: number;
  /** Requests that the key can still make right now. */
  readonly remaining: number;
  /** Whole seconds, rounded up, until the full burst is available again. */
  readonly resetSeconds: number;
  /** Whole seconds until an empty limit is full again; undefined when the service did not send it. */
  readonly windowSeconds: number | undefined;
}

type Known<R> = R extends `REASON_${infer Name}` ? Exclude<Name, 'UNSPECIFIED'> : never;

/** Why a key was refused; UNKNOWN for a reason of a newer service. For logs, never for the client. */
export type DenialReason = Known<WireReason> | 'UNKNOWN';

/** What a guard with the option `credentials` adds to its decisions on requests. */
export interface Answering {
  /** Whether only the client itself may keep the answer: shared caches do not know `X-API-Key`. */
  readonly isPrivate?: boolean;
}

export interface Granted extends Answering {
  readonly allowed: true;
  readonly principal: Principal;
  readonly rateLimit: RateLimit | undefined;
}

export interface Denied extends Answering {
  readonly allowed: false;
  readonly status: 401 | 403 | 429;
  readonly reason: DenialReason;
  /** With 401: the value of `WWW-Authenticate`, if it is not `Bearer`. */
  readonly challenge?: string;
  /** With 429: whole seconds, rounded up and at least 1, until the next request is admitted. */
  readonly retryAfterSeconds: number | undefined;
  /** With 403: the permission that the request needs, if the key lacks it. */
  readonly missingPermission: string | undefined;
  /** The key and its owner, for logs; undefined until the key's secret is proven, or with an older service. */
  readonly keyId: string | undefined;
  readonly ownerId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
}

/** The service gave no usable answer, so the request is refused. */
export interface Unavailable extends Answering {
  readonly allowed: false;
  readonly status: 503;
  readonly reason: 'SERVICE_UNAVAILABLE';
  readonly rateLimit: undefined;
}

export type Decision = Granted | Denied | Unavailable;

export const unavailable: Unavailable = Object.freeze({
  allowed: false,
  status: 503,
  reason: 'SERVICE_UNAVAILABLE',
  rateLimit: undefined,
});
