/** What a validation needs from outside: see ports.ts. */
import type { Client, FailedAuthentication } from '../domain/audit/audit-event.js';
import type { KeyStanding } from '../domain/keys/key-standing.js';
import type { Question, Verdict } from '../domain/keys/verdict.js';
import type { RateDecision } from '../domain/rate-limit.js';
import type { KeyHistory } from '../domain/usage/key-history.js';

/** What the database says of a public part, read in one statement at `now`. */
export interface KeyReading {
  readonly now: Date;
  /** When the statement was sent, by performance.now(). */
  readonly sentAt: number;
  readonly found?: KeyStanding;
}

export interface KeyReader {
  /** Reads key and owner afresh: the statement is sent after the call, so an answered change is always seen. */
  read(publicPart: string): Promise<KeyReading>;
}

export interface RateLimiter {
  /** Charges one request to a key whose secret is proven. Never fails: without its store, limits go on per process. */
  charge(keyId: string): RateDecision | Promise<RateDecision>;
}

/**
 * What a validation waits for, in this order: until the read that it is part of is sent, until that is answered, the charge of
 * the rate limit, and the commit of what must be on the audit trail before the answer.
 */
export const VALIDATION_PARTS = ['batch', 'postgresql', 'limits', 'record'] as const;
export type ValidationPart = (typeof VALIDATION_PARTS)[number];

/** What is known of a validation when it begins. */
export interface MeasuredRequest {
  readonly client: Client;
  /** The name of the service that calls, where it has one. */
  readonly service?: string | null;
  /** When the request was read, by performance.now(); now unless given. */
  readonly arrivedAt?: number;
}

/** Counts validations by their outcome, and measures where their time went. */
export interface ValidationMeter {
  begin(request: MeasuredRequest): ValidationTimer;
}

/** Measures one validation, whose parts follow each other without a gap. Never fails and never waits. */
export interface ValidationTimer {
  /** @param until when the part ended, by performance.now(); now unless given */
  endPart(part: ValidationPart, until?: number): void;
  end(verdict: Verdict): void;
  /** It got no verdict, for example because a store was not available. */
  fail(error: unknown): void;
}

/** What the reason of a refusal does not say by itself. */
export interface RefusalDetails {
  /** In words, and never a character of a credential. */
  readonly why?: string | undefined;
  /** What a good key was to do. */
  readonly question?: Question;
}

/** Says why somebody was refused: to the people who run the service, since callers learn less. Never fails and never waits. */
export interface Refusals {
  /** @param refused also a key that is good and may not do what was asked */
  note(refused: FailedAuthentication, details: RefusalDetails): void;
}

/**
 * What keys did. Noting never fails and never waits: it is written behind. A first use is visible within 2 seconds, all else in
 * a minute or so; a crash loses what was not written. Of keys whose account was purged nothing is kept.
 */
export interface KeyUsage {
  /**
   * Notes a grant: as the last use, which never goes backwards, among the last addresses, and in the count of the day. The
   * owner is told of a network that is new, as KeyNetworks has it.
   * @param clientIp a valid address, or null when it is not known
   * @param service the name of the service that asked, where it has one
   */
  noteGrant(keyId: string, clientIp: string | null, service: string | null, at: Date): void;
  /** Counts a request that came with the right secret and was refused. */
  noteRefusal(keyId: string, at: Date): void;
  /** What is kept on a key, at `now`. */
  history(keyId: string, now: Date): Promise<KeyHistory>;
}
