import type { SignInRules } from '#application/accounts/sign-in-accounts.js';
import { MAX_PERMISSIONS } from '#domain/accounts/account-profile.js';
import type { Settings } from './settings.js';

export type PlatformLoginConfig = NonNullable<ReturnType<typeof readPlatformLogin>>;
export type OidcConfig = NonNullable<ReturnType<typeof readOidc>>;

/** The platform's own login, whose tokens are accepted in place of a session. */
export function readPlatformLogin(settings: Settings) {
  const jwksUrl = settings.get('SESSION_JWKS_URL');
  if (jwksUrl === undefined) return undefined;
  return { jwksUrl, issuer: settings.get('SESSION_JWT_ISSUER')!, audience: settings.get('SESSION_JWT_AUDIENCE')! };
}

/** The platform's OpenID provider, where people sign in for the settings screen. */
export function readOidc(settings: Settings) {
  const issuer = settings.get('OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  return {
    issuer,
    clientId: settings.get('OIDC_CLIENT_ID')!,
    clientSecret: settings.get('OIDC_CLIENT_SECRET')!,
    scopes: settings.get('OIDC_SCOPES'),
    /** The claim that contains the account's id. */
    accountClaim: settings.get('OIDC_ACCOUNT_CLAIM'),
    /** Whether a sign-out here also ends the session at the provider, where the provider offers that. */
    endsProviderSession: settings.get('OIDC_SIGN_OUT') === 'provider',
    /** Whether sign-ins open accounts, and which claim has a person's roles. */
    profile: settings.get('SIGN_IN_OPENS_ACCOUNTS') ? { rolesClaim: settings.get('SIGN_IN_ROLES_CLAIM') } : undefined,
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

/** What people get whose accounts sign-ins open. Undefined: sign-ins open none. */
export function readSignInRules(settings: Settings): SignInRules | undefined {
  const [permissions, roles] = [settings.get('SIGN_IN_PERMISSIONS'), settings.get('SIGN_IN_ROLES')];
  const [isOn, claim] = [settings.get('SIGN_IN_OPENS_ACCOUNTS'), settings.get('SIGN_IN_ROLES_CLAIM')];
  if (!isOn) return undefined;
  if ((roles === undefined) !== (claim === undefined)) {
    settings.missing(
      roles ? 'SIGN_IN_ROLES_CLAIM' : 'SIGN_IN_ROLES',
      roles ? 'with SIGN_IN_ROLES' : 'with SIGN_IN_ROLES_CLAIM',
    );
  }
  const id = settings.get('OIDC_ACCOUNT_CLAIM');
  const isPanelToo = settings.get('SESSION_JWKS_URL') !== undefined;
  if (!['sub', 'oid'].includes(id)) {
    settings.wrong(
      'OIDC_ACCOUNT_CLAIM',
      'must be sub or oid with SIGN_IN_OPENS_ACCOUNTS: people can edit other claims',
    );
  }
  if (isPanelToo && id !== 'sub') {
    settings.wrong(
      'OIDC_ACCOUNT_CLAIM',
      'must be sub with SIGN_IN_OPENS_ACCOUNTS and SESSION_JWKS_URL, whose tokens name people by it',
    );
  }
  if (isPanelToo && settings.get('SESSION_JWT_ISSUER') !== settings.get('OIDC_ISSUER')) {
    settings.wrong(
      'SESSION_JWT_ISSUER',
      'must be OIDC_ISSUER with SIGN_IN_OPENS_ACCOUNTS: two logins may give one id to two people',
    );
  }
  const admin = settings.get('ADMIN_PERMISSION');
  if (admin !== undefined && permissions.includes(admin)) {
    settings.wrong('SIGN_IN_PERMISSIONS', 'must not have ADMIN_PERMISSION: everybody would be an administrator');
  }
  const all = new Set([...permissions, ...[...(roles?.values() ?? [])].flat()]);
  if (all.size > MAX_PERMISSIONS) {
    settings.wrong(
      'SIGN_IN_ROLES',
      `gives ${all.size} permissions together with SIGN_IN_PERMISSIONS, at most ${MAX_PERMISSIONS}`,
    );
  }
  return { permissions, roles };
}
