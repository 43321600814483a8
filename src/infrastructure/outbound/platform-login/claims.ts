import { authenticatedAt, type PlatformSignIn } from '../../../domain/accounts/session.js';

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the account's id from its claim: from the ID token, or else from the UserInfo endpoint.
 * @returns undefined if the claim is missing, or is an email address that the provider has not verified
 */
export async function accountClaim(
  name: string,
  idToken: Claims,
  fetchUserInfo: () => Promise<Claims>,
): Promise<string | undefined> {
  const claims = idToken[name] === undefined ? await fetchUserInfo() : idToken;
  const value = claims[name];
  if (typeof value !== 'string') return undefined;
  return name === 'email' && claims['email_verified'] !== true ? undefined : value;
}

/** How a person signed in, according to a token of the platform (OpenID Connect Core, section 2). */
export function signInOf({ auth_time: authTime, acr }: Claims): PlatformSignIn {
  return { authenticatedAt: authenticatedAt(authTime), acr: typeof acr === 'string' ? acr : undefined };
}
