import type { EnvReader } from './env-reader.js';

/** The platform's own login, whose tokens stand in for a session. */
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
