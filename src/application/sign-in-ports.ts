import type { Account } from '../domain/accounts/account.js';
import type { FreshSignInRule, PlatformSignIn } from '../domain/accounts/fresh-sign-in.js';
import type { ThrottlePolicy } from '../domain/accounts/password-throttle.js';
import type { AuditEvent } from '../domain/audit/audit-event.js';

/** What signing in and confirming ask for from the outside: see ports.ts, which has them too. */

export interface Session {
  readonly account: Account;
  readonly expiresAt: Date;
  /** Of a person who signed in at the platform. */
  readonly signIn?: PlatformSignIn | undefined;
}

export interface SessionOpening {
  readonly accountId: string;
  /** Of a person who signed in with a password: the hash that it matched. */
  readonly passwordHash?: string;
  /** Of a person who signed in at the platform. */
  readonly signIn?: PlatformSignIn;
  readonly event: AuditEvent;
}

export interface Sessions {
  /**
   * Begins a session if the account is active, and saves the event with it.
   * @returns undefined when the account is not active any more, or has another password hash
   */
  begin(opening: SessionOpening): Promise<{ token: string; expiresAt: Date } | undefined>;
  /** Undefined for an unknown, ended or expired session, and for the session of an account that is not active. */
  find(token: string): Promise<Session | undefined>;
  end(token: string): Promise<void>;
  /** The same for one whose token is elsewhere. @param digest as sessionDigest makes it */
  endByDigest(digest: string): Promise<void>;
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

export interface Passwords {
  /** Throws `busy` where a stranger's password would not be looked at now: before anything is written for it. */
  requireRoom(asker: Asker): void;
  /** Throws `busy` when too many are being hashed already. @param asker the platform unless given */
  hash(password: string, asker?: Asker): Promise<string>;
  /**
   * Does the work that an account with this email may cost when there is no hash. `outdated`: the hash is cheaper than
   * new ones are. Throws `busy` as `hash` does.
   */
  verify(
    password: string,
    hash: string | null,
    asker?: Asker,
    email?: string,
  ): Promise<{ matches: boolean; outdated: boolean }>;
  /** What is wrong with a hash that the platform pushed, or undefined. */
  hashProblem(hash: string): string | undefined;
}

export interface GuessSubject {
  readonly name: string;
  readonly policy: ThrottlePolicy;
}

export interface PasswordGuesses {
  /**
   * Counts an attempt against every subject, on all instances. Throws `too_many_attempts` when one is blocked, and `busy`
   * when too many are being counted already. @param asker the platform unless given
   */
  count(subjects: readonly GuessSubject[], asker?: Asker): Promise<void>;
  /** The attempt was right: forgets the first subject's failures, and takes this one back from the others. */
  forgive(subjects: readonly GuessSubject[]): Promise<void>;
  /** Whether an attempt of this subject has ever been right, as far as it is remembered: see SUCCESSES_KEPT_DAYS. */
  hasSucceeded(subject: string): Promise<boolean>;
}

export interface PlatformTokens {
  /** Whom a JWT of the platform's own login stands for, and until when, or why it is not valid. */
  verify(jwt: string): Promise<PlatformToken | RefusedToken>;
}

export interface PlatformLogin {
  /**
   * Where to send a person who is to sign in at the platform.
   * @param stepUp how fresh, and how strong, the sign-in is to be; any unless given
   */
  begin(stepUp: FreshSignInRule | undefined): Promise<{ url: string; begun: BegunSignIn }>;
  /**
   * Who came back. Throws `invalid_credentials` when the platform signed nobody in, or not for what was begun.
   * @param answer the query that the platform sent the person back with
   */
  finish(answer: string, begun: BegunSignIn): Promise<PlatformPerson>;
}

/** What a JWT of the platform's own login says. */
export interface PlatformToken {
  readonly accountId: string;
  readonly expiresAt: Date;
  readonly signIn: PlatformSignIn;
}

/** Why a token of the platform's own login is not valid here, in words without a character of the token. */
export interface RefusedToken {
  readonly refusal: string;
}

/** Who came back from a sign-in at the platform. */
export interface PlatformPerson {
  /** Undefined when the platform names nobody who could have an account here. */
  readonly accountId: string | undefined;
  readonly signIn: PlatformSignIn;
}

/** The secrets of one sign-in at the platform, between its beginning and its end. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
