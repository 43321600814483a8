import type { PlatformSignIn } from '../domain/accounts/fresh-sign-in.js';

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
