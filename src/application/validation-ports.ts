import type { Client, FailedAuthentication } from '#domain/audit/audit-event.js';
import type { KeyRights } from '#domain/keys/key-rights.js';
import type { KeyStanding } from '#domain/keys/key-standing.js';
import type { Question, Verdict } from '#domain/keys/verdict.js';
import type { LeasedKey } from '#domain/keys/lease.js';
import type { RateDecision, RateLimit } from '#domain/rate-limit.js';
import type { DeniedRequest, KeyHistory } from '#domain/usage/key-history.js';

/** What one SQL statement read about a public part, at `now`. */
export interface KeyReading {
  readonly now: Date;
  /** When the statement was sent, by performance.now(). */
  readonly sentAt: number;
  readonly found?: KeyStanding;
  /** What decides about a lease on the key. Only where this process gives leases. */
  readonly forLease?: Pick<LeasedKey, 'longestLeaseMs' | 'graceSeconds'>;
}

export interface KeyReader {
  /** Reads from the database, after the call, so that it sees every change that was answered before. */
  read(publicPart: string): Promise<KeyReading>;
}

/** A lease that may be given with a grant. Its uses are charged. */
export interface LeaseOffer {
  readonly lengthMs: number;
  readonly uses: number;
  readonly rights: KeyRights;
}

export interface RateLimiter {
  /**
   * Never fails: without its store, each process limits by itself.
   * @param limit of this key now. It may differ from the last charge: the requests used of the burst stay used.
   * @param ahead how many uses of a lease to charge with the request, if it is admitted: see LEASED_SHARE
   */
  charge(keyId: string, limit: RateLimit, ahead?: number): RateDecision | Promise<RateDecision>;
}

/**
 * The phases of a validation, in this order: waiting until its read is sent, waiting for the answer, the charge of the
 * rate limit, and the commit of what must be on the audit trail before the answer.
 */
export const VALIDATION_PARTS = ['batch', 'postgresql', 'limits', 'record'] as const;
export type ValidationPart = (typeof VALIDATION_PARTS)[number];

/** What is known about a validation when it begins. */
export interface MeasuredRequest {
  readonly client: Client;
  /** The name of the calling service, if it has one. */
  readonly service?: string | null;
  /** When the request was read, by performance.now(); undefined means now. */
  readonly arrivedAt?: number;
}

/** Counts validations by outcome and measures where their time went. */
export interface ValidationMeter {
  begin(request: MeasuredRequest): ValidationTimer;
}

/** Measures one validation. Each phase begins when the previous one ends. Never fails and never waits. */
export interface ValidationTimer {
  /** @param until when the phase ended, by performance.now(); undefined means now */
  endPart(part: ValidationPart, until?: number): void;
  /** @param leaseUses how many uses of a lease were charged with it */
  end(verdict: Verdict, leaseUses?: number): void;
  /** There is no verdict, for example because a store was unavailable. */
  fail(error: unknown): void;
}

/** Details that the reason of a refusal does not include. */
export interface RefusalDetails {
  /** A readable explanation. It never contains any part of a credential. */
  readonly why?: string | undefined;
  /** What a valid key was denied for. */
  readonly question?: Question;
  readonly rights?: KeyRights;
}

/** Reports to the people who run the service why somebody was refused. Callers learn less. Never fails and never waits. */
export interface Refusals {
  /** @param refused may also be a valid key that may not do what was requested */
  note(refused: FailedAuthentication, details: RefusalDetails): void;
}

/** A denied request of a key, from a valid address. */
export interface DeniedUse extends DeniedRequest {
  readonly clientIp: string;
  readonly service: string | null;
}

/** The database's time without a call: as of the last read, and the time since then. Before the first read, this machine's. */
export interface DatabaseClock {
  now(): Date;
}

/**
 * The usage of keys. Noting never fails and never waits: the data is written later. A first use is visible within 2
 * seconds, everything else after about a minute. A crash loses what was not written. Nothing is kept for keys of a
 * purged account.
 */
export interface KeyUsage {
  /**
   * Notes a grant: as the last use, unless a later one is known, in the last addresses, and in the count of the day.
   * The owner is notified of a new network by the rules of KeyNetworks. Nothing is kept for an unknown key.
   * @param clientIp a valid address, or null when it is not known
   * @param service the name of the calling service, if it has one
   * @param used see PermissionUse. Default: unknown
   * @param count of several grants under a lease, the last of them at this time
   */
  noteGrant(
    keyId: string,
    clientIp: string | null,
    service: string | null,
    at: Date,
    used?: string,
    count?: number,
  ): void;
  /** Of a request with the right secret. @param denied undefined when its address is not known */
  noteDenial(keyId: string, at: Date, denied?: DeniedUse): void;
  history(keyId: string, now: Date): Promise<KeyHistory>;
}
