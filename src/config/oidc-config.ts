import type { EnvReader } from './env-reader.js';
import { isLoopbackUrl } from './network-config.js';

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
  const issuer = reader.url('OIDC_ISSUER', ['http:', 'https:']);
  if (issuer === undefined) return undefined;
  if (!issuer.startsWith('https:') && !isLoopbackUrl(issuer)) {
    reader.wrong('OIDC_ISSUER', 'must start with https://, unless it is on a loopback address');
  }
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
