/**
 * What the use cases ask for from the outside, on one screen. Ports are abstract classes so that they are their own
 * injection tokens. Unless said otherwise a method throws LatchkeyError `unavailable` when its store can't answer, and
 * every `now` is PostgreSQL's clock: one clock for all instances.
 */
import type { Account, AccountStatus } from '../domain/accounts/account.js';
import type { FreshSignInRule, PlatformSignIn } from '../domain/accounts/fresh-sign-in.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { KeyStanding } from '../domain/keys/key-standing.js';
import type { ApiKeyStatus } from '../domain/keys/key-status.js';
import type { SealableEvent } from '../domain/audit/audit-seal.js';
import type { RateDecision } from '../domain/keys/rate-limit.js';
import type { ThrottlePolicy } from '../domain/accounts/password-throttle.js';
import type { Verdict } from '../domain/keys/verdict.js';
import type { Client, FailedAuthentication, OwnerEventType, RecordedEvent } from '../domain/audit/audit-event.js';
import type { AccountTransaction } from './account-transaction.js';
import type { AuditTrailSnapshot, AuditTrailTransaction, TimeSpan } from './audit/audit-trail.js';
import type { KeyList } from './listed-key.js';
import type { ValidationPart } from './keys/validation-parts.js';
import type { Page, PageRequest } from './page.js';
import type { BegunSignIn, PlatformPerson, PlatformToken } from './platform-person.js';

/** What the database says of a public part, read in one statement at `now`. */
export interface KeyReading {
  readonly now: Date;
  /** When the statement was sent, by the ValidationMeter's clock. */
  readonly sentAt: number;
  readonly found?: KeyStanding;
}

export abstract class KeyReader {
  /** Reads key and owner afresh: the statement is sent after the call, so an answered change is always seen. */
  abstract read(publicPart: string): Promise<KeyReading>;
}

export abstract class RateLimiter {
  /** Charges one request to a key whose secret is proven. Never fails: without its store, limits go on per process. */
  abstract charge(keyId: string): RateDecision | Promise<RateDecision>;
}

/** Counts what validations came to, and where their time went. Never fails and never waits. */
export abstract class ValidationMeter {
  /** A stamp, by the clock of performance.now(): to be handed back at the end, and to the first part. */
  abstract begin(): number;
  /** A part that took until `until`, now unless given, which it answers: it is when the next part begins. */
  abstract countPart(part: ValidationPart, since: number, until?: number): number;
  abstract countVerdict(verdict: Verdict, begun: number): void;
  /** A validation that got no verdict, because a store was away. */
  abstract countFailure(begun: number): void;
}

export abstract class LastUse {
  /** Notes a grant; written behind, never backwards. A first use is visible in lists within 2 seconds, later ones in a minute or so. */
  abstract note(keyId: string, at: Date): void;
}

export abstract class Audit {
  /** Resolves once the event is committed. */
  abstract recordFailure(failure: FailedAuthentication): Promise<void>;
  /**
   * The owner's own events of these types, newest first; none of an account that was purged under the same id, nor of its
   * keys.
   */
  abstract list(ownerId: string, types: readonly OwnerEventType[], page: PageRequest): Promise<Page<RecordedEvent>>;
}

/** The same record as evidence: all its events, and the seals over them. */
export abstract class AuditTrail {
  /** One cheap look: how many events no seal covers yet, at most. Those that were given an id and not committed count too. */
  abstract unsealedEvents(): Promise<number>;
  /** One transaction beside which no other instance seals or prunes; undefined when one is at it just now. */
  abstract exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined>;
  /** Those of a time, in the order of their ids, in no transaction: a slow reader holds nothing up. */
  abstract events(span: TimeSpan): AsyncIterable<SealableEvent>;
  /** One snapshot: what is written meanwhile is not seen. */
  abstract read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T>;
}

export abstract class ApiKeys {
  /** A key of any owner, purged ones too. */
  abstract find(id: string): Promise<ApiKey | undefined>;
  /** A key of any owner, purged ones too; for callers that hold the key string and still have to prove it. */
  abstract findByPublicPart(publicPart: string): Promise<ApiKey | undefined>;
  /** The owner's keys, newest first; none of an account that was purged under the same id. */
  abstract list(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList>;
  /** Commits every expiry that is due among the given keys with its event, each once however many observe it. */
  abstract recordExpiries(scope: { readonly keyId: string } | { readonly ownerId: string }): Promise<void>;
  /** The same for any keys, at most `limit`, passing over those that another instance is recording. Answers how many. */
  abstract sweepExpiries(limit: number): Promise<number>;
}

export interface AccountFilter {
  readonly status: AccountStatus | undefined;
  readonly email: string | undefined;
}

/** An account that was purged is none to any of these. */
export abstract class Accounts {
  abstract find(id: string): Promise<Account | undefined>;
  abstract findByEmail(email: string): Promise<Account | undefined>;
  /** In the order of their ids, those after one of them. The email is looked for in any case. */
  abstract list(filter: AccountFilter, afterId: string | undefined, limit: number): Promise<Account[]>;
  /** Stores a hash with newer parameters, unless the password changed meanwhile. */
  abstract rehash(id: string, from: string, to: string): Promise<void>;
  /** Runs `work` in one transaction that holds the account's row. It may run twice when two calls open one account. */
  abstract transaction<T>(id: string, work: (transaction: AccountTransaction) => Promise<T>): Promise<T>;
}

export interface Session {
  readonly account: Account;
  readonly expiresAt: Date;
  /** Of a person who signed in at the platform. */
  readonly signIn?: PlatformSignIn | undefined;
}

export abstract class Sessions {
  /**
   * Begins a session if the account is still active under this password hash, and answers its token. `session.opened` is on
   * record with it, or there is no session.
   */
  abstract begin(
    accountId: string,
    passwordHash: string,
    client?: Client,
  ): Promise<{ token: string; expiresAt: Date } | undefined>;
  /** The same for a person who signed in at the platform. */
  abstract beginSignedIn(
    accountId: string,
    signIn: PlatformSignIn,
    client?: Client,
  ): Promise<{ token: string; expiresAt: Date } | undefined>;
  /** Undefined for an unknown, ended or expired session, and for the session of an account that is not active. */
  abstract find(token: string): Promise<Session | undefined>;
  abstract end(token: string): Promise<void>;
  /** The same for one whose token is elsewhere. @param digest as sessionDigest makes it */
  abstract endByDigest(digest: string): Promise<void>;
}

/** On whose behalf a password is looked at. Where many ask at once, strangers leave room for those who are known. */
export interface Asker {
  /** Those of one name share one turn: a client's network, an account, the platform. */
  readonly name: string;
  /** Whether something else than a guess speaks for it: a session, a service identity, an earlier sign-in from there. */
  readonly isKnown: boolean;
}

/** Who speaks for its users by a service identity. */
export const PLATFORM: Asker = { name: 'platform', isKnown: true };

export abstract class Passwords {
  /** Throws `busy` when too many are being hashed already. @param asker the platform unless given */
  abstract hash(password: string, asker?: Asker): Promise<string>;
  /**
   * Does the work that an account with this email may cost when there is no hash. `outdated`: the hash is cheaper than
   * new ones are. Throws `busy` as `hash` does.
   */
  abstract verify(
    password: string,
    hash: string | null,
    asker?: Asker,
    email?: string,
  ): Promise<{ matches: boolean; outdated: boolean }>;
  /** What is wrong with a hash that the platform pushed, or undefined. */
  abstract hashProblem(hash: string): string | undefined;
}

export interface GuessSubject {
  readonly name: string;
  readonly policy: ThrottlePolicy;
}

export abstract class PasswordGuesses {
  /**
   * Counts an attempt against every subject, on all instances. Throws `too_many_attempts` when one is blocked, and `busy`
   * when too many are being counted already. @param asker the platform unless given
   */
  abstract count(subjects: readonly GuessSubject[], asker?: Asker): Promise<void>;
  /** The attempt was right: forgets the first subject's failures, and takes this one back from the others. */
  abstract forgive(subjects: readonly GuessSubject[]): Promise<void>;
  /** Whether an attempt of this subject has ever been right, as far as it is remembered: see SUCCESSES_KEPT_DAYS. */
  abstract hasSucceeded(subject: string): Promise<boolean>;
}

export abstract class PlatformTokens {
  /** Whom a JWT of the platform's own login stands for, and until when; undefined when the token is not valid. */
  abstract verify(jwt: string): Promise<PlatformToken | undefined>;
}

export abstract class PlatformLogin {
  /**
   * Where to send a person who is to sign in at the platform.
   * @param stepUp how fresh, and how strong, the sign-in is to be; any unless given
   */
  abstract begin(stepUp: FreshSignInRule | undefined): Promise<{ url: string; begun: BegunSignIn }>;
  /**
   * Who came back. Throws `invalid_credentials` when the platform signed nobody in, or not for what was begun.
   * @param answer the query that the platform sent the person back with
   */
  abstract finish(answer: string, begun: BegunSignIn): Promise<PlatformPerson>;
}
