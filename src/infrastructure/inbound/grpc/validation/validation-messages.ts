/** A question as it arrives: absent fields are empty, enums are their numbers, known or not. */
export interface WireQuestion {
  readonly requestId: string;
  /** Which of the two the caller set, if any. */
  readonly credential?: 'apiKey' | 'authorization';
  readonly apiKey: string;
  readonly authorization: string;
  readonly operation: number;
  readonly permission: string;
  readonly clientIp: string;
  readonly userAgent: string;
  /** When it was read off the wire, by performance.now(): on a busy stream, long before it is handed on. */
  readonly readAt: number;
}

/** Durations and timestamps. */
export interface WireTime {
  readonly seconds: number;
  readonly nanos: number;
}

export interface WireGrant {
  readonly keyId: string;
  readonly ownerId: string;
  readonly access: number;
  readonly permissions: readonly string[];
  readonly expiresAt: WireTime;
}

export interface WireDenial {
  readonly reason: number;
  readonly httpStatus: number;
  readonly message: string;
  readonly retryAfter: WireTime | undefined;
  readonly keyId: string;
  readonly ownerId: string;
}

export interface WireRateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfter: WireTime;
}

export interface WireAnswer {
  readonly requestId: string;
  readonly grant?: WireGrant;
  readonly denial?: WireDenial;
  readonly failure?: { readonly code: number; readonly message: string };
  readonly rateLimit?: WireRateLimit | undefined;
}
