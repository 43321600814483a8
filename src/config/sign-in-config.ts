import type { FreshSignInRule } from '#domain/accounts/session.js';
import type { Settings } from './settings.js';

export type PlatformLoginConfig = NonNullable<ReturnType<typeof readPlatformLogin>>;
export type OidcConfig = NonNullable<ReturnType<typeof readOidc>>;

/** The platform's own login, whose tokens are accepted in place of a session. */
export function readPlatformLogin(settings: Settings) {
  const jwksUrl = settings.get('SESSION_JWKS_URL');
  if (jwksUrl === undefined) return undefined;
  return {
    jwksUrl,
    issuer: settings.get('SESSION_JWT_ISSUER') ?? settings.missing('SESSION_JWT_ISSUER', 'with SESSION_JWKS_URL'),
    audience: settings.get('SESSION_JWT_AUDIENCE') ?? settings.missing('SESSION_JWT_AUDIENCE', 'with SESSION_JWKS_URL'),
  };
}

/** The platform's OpenID provider, where people sign in for the settings screen. */
export function readOidc(settings: Settings) {
  const issuer = settings.get('OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  return {
    issuer,
    clientId: settings.get('OIDC_CLIENT_ID') ?? settings.missing('OIDC_CLIENT_ID', 'with OIDC_ISSUER'),
    clientSecret: settings.get('OIDC_CLIENT_SECRET') ?? settings.missing('OIDC_CLIENT_SECRET', 'with OIDC_ISSUER'),
    scopes: settings.get('OIDC_SCOPES'),
    /** The claim that contains the account's id. */
    accountClaim: settings.get('OIDC_ACCOUNT_CLAIM'),
    /** Whether a sign-out here also ends the session at the provider, where the provider offers that. */
    endsProviderSession: settings.get('OIDC_SIGN_OUT') === 'provider',
  };
}

/** Whether people may sign in with a password of ours. Off by default if the platform signs its people in. */
export function readPasswordSignIn(settings: Settings): boolean {
  const elsewhere = (['SESSION_JWKS_URL', 'OIDC_ISSUER'] as const).some((name) => settings.get(name) !== undefined);
  const isOn = (settings.get('PASSWORD_SIGN_IN') ?? (elsewhere ? 'off' : 'on')) === 'on';
  if (!isOn && !elsewhere) {
    settings.wrong('PASSWORD_SIGN_IN', 'must not be off without SESSION_JWKS_URL or OIDC_ISSUER: nobody could sign in');
  }
  settings.shown['PASSWORD_SIGN_IN'] = isOn ? 'on' : 'off';
  return isOn;
}

/** How fresh and how strong a sign-in at the platform must be to confirm the creation of a key. */
export function readFreshSignIn(settings: Settings): FreshSignInRule {
  return {
    maxAgeSeconds: settings.get('CONFIRMATION_MAX_AGE_SECONDS'),
    acrValues: settings.get('CONFIRMATION_ACR_VALUES'),
  };
}
