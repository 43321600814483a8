import type { Reason as WireReason } from './generated/latchkey/v1/Reason.js';

/** Who the request acts as. */
export interface Principal {
  readonly keyId: string;
  /** The account that the key belongs to. */
  readonly ownerId: string;
  readonly access: 'read-only' | 'read-and-write';
  /** What the owner holds and the key lets through, as of this request. */
  readonly permissions: readonly string[];
  readonly expiresAt: Date;
}

/** The state of the key's rate limit. */
export interface RateLimit {
  /** Requests that a rested key may send at once. */
  readonly limit: number;
  /** Requests admitted right now. */
  readonly remaining: number;
  /** Whole seconds, rounded up, until the limit is full again. */
  readonly resetSeconds: number;
  /** Whole seconds in which a spent key regains its whole limit; undefined when the service did not say. */
  readonly windowSeconds: number | undefined;
}

type Known<R> = R extends `REASON_${infer Name}` ? Exclude<Name, 'UNSPECIFIED'> : never;

/** Why a key was refused; UNKNOWN when the service is newer than this guard. For logs, never for the client. */
export type DenialReason = Known<WireReason> | 'UNKNOWN';

export interface Granted {
  readonly allowed: true;
  readonly principal: Principal;
  readonly rateLimit: RateLimit | undefined;
}

export interface Denied {
  readonly allowed: false;
  readonly status: 401 | 403 | 429;
  readonly reason: DenialReason;
  /** With 429: whole seconds, rounded up and at least 1, until the next request is admitted. */
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimit | undefined;
}

/** There was no usable answer, so nobody gets in. */
export interface Unavailable {
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
