import type { EnvReader } from './env-reader.js';

/** The platform's OpenID provider, where the settings screen signs people in. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by blanks, `openid` among them. */
  readonly scopes: string;
  /** The claim that is the account's id here. */
  readonly accountClaim: string;
}

export function readOidc(reader: EnvReader): OidcConfig | undefined {
  const issuer = reader.secureUrl('OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  const scopes = reader.text('OIDC_SCOPES') ?? 'openid email';
  if (!scopes.split(' ').includes('openid')) {
    reader.wrong('OIDC_SCOPES', 'must be scopes with blanks between, openid among them');
  }
  return {
    issuer,
    clientId: reader.text('OIDC_CLIENT_ID') ?? reader.missing('OIDC_CLIENT_ID', 'with OIDC_ISSUER'),
    clientSecret: reader.text('OIDC_CLIENT_SECRET') ?? reader.missing('OIDC_CLIENT_SECRET', 'with OIDC_ISSUER'),
    scopes,
    accountClaim: reader.text('OIDC_ACCOUNT_CLAIM') ?? 'sub',
  };
}
