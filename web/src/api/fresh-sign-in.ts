/** A sign-in that the service requires before it makes a key (RFC 9470). */
export interface FreshSignIn {
  /** The highest age of the sign-in: OpenID Connect's `max_age`. 0: the person signs in now. */
  readonly maxAgeSeconds: number;
  /** The classes that are strong enough: OpenID Connect's `acr_values`. Empty: any. */
  readonly acrValues: readonly string[];
}

/** Reads `WWW-Authenticate`. If it can't be read, only a new sign-in is certainly fresh. */
export function readChallenge(header: string | null): FreshSignIn {
  const [, maxAge = '0'] = /\bmax_age="?(\d+)"?/.exec(header ?? '') ?? [];
  const [, acrValues = ''] = /\bacr_values="([^"]*)"/.exec(header ?? '') ?? [];
  return { maxAgeSeconds: Number(maxAge), acrValues: acrValues.split(' ').filter((value) => value !== '') };
}

/** The person closed the platform's sign-in, or it failed. */
export class NotSignedInAgain extends Error {
  override readonly name = 'NotSignedInAgain';
}

/** The person who signed in again is not the one whose keys are on the screen. */
export class SomebodyElse extends Error {
  override readonly name = 'SomebodyElse';
}
