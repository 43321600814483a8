import type { Account, SignInProfile } from '#domain/accounts/account.js';
import type { FreshSignInRule, PlatformSignIn } from '#domain/accounts/session.js';
import type { AuditEvent } from '#domain/audit/audit-event.js';

export interface Session {
  readonly account: Account;
  readonly expiresAt: Date;
  readonly signIn?: PlatformSignIn | undefined;
}

export interface SessionOpening {
  readonly accountId: string;
  /** The hash that matched, for a person who signed in with a password. */
  readonly passwordHash?: string;
  /** Of a person who signed in at the platform. */
  readonly signIn?: PlatformSignIn;
  readonly event: AuditEvent;
}

export interface Sessions {
  /** Saves the event with it. Undefined when the account is no longer active or its password hash has changed. */
  begin(opening: SessionOpening): Promise<{ token: string; expiresAt: Date } | undefined>;
  /** Undefined for an unknown, ended or expired session, and for the session of an account that is not active. */
  find(token: string): Promise<Session | undefined>;
  /** Does nothing for an unknown digest. @param digest from sessionDigest */
  endByDigest(digest: string): Promise<void>;
}

/** For whom a password is checked or a report is accepted. Under load, unknown callers are refused first. */
export interface Requester {
  /** Callers with the same name share one turn: a client's network, an account, the platform. */
  readonly name: string;
  /** Whether it has a session, a service identity, or an earlier sign-in from the same network. */
  readonly isKnown: boolean;
}

export const PLATFORM: Requester = { name: 'platform', isKnown: true };

export interface Passwords {
  /** Throws `busy` if an unknown caller's password could not be checked now. Called before anything is written. */
  requireRoom(requester: Requester): void;
  /** Throws `busy` when too many passwords are being hashed. @param requester by default the platform */
  hash(password: string, requester?: Requester): Promise<string>;
  /**
   * Without a hash it does as much work as the hash of an account with this email could require, so that the time
   * reveals nothing. `outdated`: the hash is weaker than new hashes. Throws `busy` like `hash`.
   */
  verify(
    password: string,
    hash: string | null,
    requester?: Requester,
    email?: string,
  ): Promise<{ matches: boolean; outdated: boolean }>;
  /** What is wrong with a hash that the platform sent, or undefined. */
  hashProblem(hash: string): string | undefined;
}

export interface GuessSubject {
  readonly name: string;
  /** Attempts before the first wait. */
  readonly freeGuesses: number;
}

export interface PasswordGuesses {
  /**
   * Counts an attempt for each subject, on all instances. Throws `too_many_attempts` when one of them is blocked, and
   * `busy` when too many attempts are being counted. @param requester by default the platform
   */
  count(subjects: readonly GuessSubject[], requester?: Requester): Promise<void>;
  /** The attempt was right: forgets all failures of the first subject, and this attempt of the others. */
  forgive(subjects: readonly GuessSubject[]): Promise<void>;
  /** Whether an attempt of this subject was ever right, as long as that is remembered: see SUCCESSES_KEPT_DAYS. */
  hasSucceeded(subject: string): Promise<boolean>;
}

export interface PlatformTokens {
  /** The account that a JWT of the platform's own login stands for and when it expires, or why the JWT is not valid. */
  verify(jwt: string): Promise<PlatformToken | RefusedToken>;
}

/** Values of OpenID Connect's `prompt` that people may choose. */
export const SIGN_IN_PROMPTS = ['select_account'] as const;
export type SignInPrompt = (typeof SIGN_IN_PROMPTS)[number];

export interface PlatformLogin {
  /**
   * The URL at which a person signs in at the platform.
   * @param stepUp how fresh and how strong the sign-in must be; undefined accepts any
   * @param prompt `select_account`: the platform asks which of their accounts to use, also if they are signed in there
   */
  begin(stepUp: FreshSignInRule | undefined, prompt?: SignInPrompt): Promise<{ url: string; begun: BegunSignIn }>;
  /**
   * The person who came back. Throws `invalid_credentials` when the platform signed nobody in, or when the answer does
   * not belong to this sign-in. Throws `busy` when too many sign-ins are waiting for the platform.
   * @param answer the query with which the platform sent the person back
   */
  finish(answer: string, begun: BegunSignIn, requester: Requester): Promise<PlatformPerson>;
  /** Throws `busy` if `finish` would do so now for an unknown caller. Called before anything is written. */
  requireRoom(requester: Requester): void;
  /**
   * The URL that ends a person's session at the platform too. Undefined when that is off, or the platform has none. Also
   * when the platform does not answer, which is logged: the person is signed out here in any case.
   */
  signOutUrl(): Promise<string | undefined>;
}

/** The sign-ins at the platform that came back. Nothing is stored about one that has only begun. */
export interface SpentSignIns {
  /** False when this sign-in came back before, at any instance. Throws `busy` when too many are being stored. */
  spend(state: string, requester: Requester): Promise<boolean>;
}

export interface PlatformToken {
  readonly accountId: string;
  /** See PlatformPerson. */
  readonly issuer: string;
  readonly expiresAt: Date;
  readonly signIn: PlatformSignIn;
}

/** Why a token of the platform's own login is not valid here. The text contains no part of the token. */
export interface RefusedToken {
  readonly refusal: string;
}

export interface PlatformPerson {
  /** Undefined when the platform names no person who could have an account here. */
  readonly accountId: string | undefined;
  /** Whose id it is: another login may give the same id to another person. */
  readonly issuer: string;
  readonly signIn: PlatformSignIn;
  /** Where sign-ins open accounts. */
  readonly profile?: LoginProfile | undefined;
}

export interface LoginProfile extends Omit<SignInProfile, 'issuer' | 'permissions'> {
  readonly roles: readonly string[];
}

/** The secrets of one sign-in at the platform, kept from its beginning to its end. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
