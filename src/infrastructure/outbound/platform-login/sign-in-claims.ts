import { authenticatedAt, type PlatformSignIn } from '../../../domain/accounts/fresh-sign-in.js';

/** How a person signed in, as a token of the platform says it (OpenID Connect Core, section 2). */
export function signInOf({ auth_time: authTime, acr }: Readonly<Record<string, unknown>>): PlatformSignIn {
  return { authenticatedAt: authenticatedAt(authTime), acr: typeof acr === 'string' ? acr : undefined };
}
