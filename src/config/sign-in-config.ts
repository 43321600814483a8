import type { FreshSignInRule } from '../domain/accounts/session.js';
import type { EnvReader } from './env-reader.js';

/** The platform's own login, whose tokens are accepted in place of a session. */
export interface PlatformLoginConfig {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

export function readPlatformLogin(reader: EnvReader): PlatformLoginConfig | undefined {
  const jwksUrl = reader.secureUrl('SESSION_JWKS_URL');
  if (jwksUrl === undefined) return undefined;
  return {
    jwksUrl,
    issuer: reader.text('SESSION_JWT_ISSUER') ?? reader.missing('SESSION_JWT_ISSUER', 'with SESSION_JWKS_URL'),
    audience: reader.text('SESSION_JWT_AUDIENCE') ?? reader.missing('SESSION_JWT_AUDIENCE', 'with SESSION_JWKS_URL'),
  };
}

/** The platform's OpenID provider, where people sign in for the settings screen. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. Must include `openid`. */
  readonly scopes: string;
  /** The claim that contains the account's id. */
  readonly accountClaim: string;
  /** Whether a sign-out here also ends the session at the provider, where the provider offers that. */
  readonly endsProviderSession: boolean;
}

export function readOidc(reader: EnvReader): OidcConfig | undefined {
  const issuer = reader.secureUrl('OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  const scopes = reader.text('OIDC_SCOPES') ?? 'openid email';
  if (!scopes.split(' ').includes('openid')) {
    reader.wrong('OIDC_SCOPES', 'must be scopes separated by spaces, and include openid');
  }
  return {
    issuer,
    clientId: reader.text('OIDC_CLIENT_ID') ?? reader.missing('OIDC_CLIENT_ID', 'with OIDC_ISSUER'),
    clientSecret: reader.text('OIDC_CLIENT_SECRET') ?? reader.missing('OIDC_CLIENT_SECRET', 'with OIDC_ISSUER'),
    scopes,
    accountClaim: reader.text('OIDC_ACCOUNT_CLAIM') ?? 'sub',
    endsProviderSession: reader.oneOf('OIDC_SIGN_OUT', 'here', ['here', 'provider']) === 'provider',
  };
}

/** Whether people may sign in with a password of ours. Off by default if the platform signs its people in. */
export function readPasswordSignIn(reader: EnvReader): boolean {
  const elsewhere = ['SESSION_JWKS_URL', 'OIDC_ISSUER'].some((name) => reader.text(name) !== undefined);
  const isOn = reader.oneOf('PASSWORD_SIGN_IN', elsewhere ? 'off' : 'on', ['on', 'off']) === 'on';
  if (!isOn && !elsewhere)
    reader.wrong('PASSWORD_SIGN_IN', 'must not be off without SESSION_JWKS_URL or OIDC_ISSUER: nobody could sign in');
  return isOn;
}

/** How fresh and how strong a sign-in at the platform must be to confirm the creation of a key. */
export function readFreshSignIn(reader: EnvReader): FreshSignInRule {
  return {
    maxAgeSeconds: reader.wholeNumber('CONFIRMATION_MAX_AGE_SECONDS', 300, 86_400),
    acrValues: reader.list('CONFIRMATION_ACR_VALUES', parseAcr) ?? [],
  };
}

/** The value is sent in a quoted text, separated from the next one by a space (RFC 9470). */
function parseAcr(value: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(value)) return value;
  throw new Error('must be 1 to 255 visible ASCII characters without spaces, quotes and backslashes');
}
