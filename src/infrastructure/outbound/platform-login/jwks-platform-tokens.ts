import { createRemoteJWKSet, errors, jwksCache, type JWKSCacheInput, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { PlatformTokens } from '#application/sign-in-ports.js';
import type { PlatformLoginConfig } from '#config/sign-in-config.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { signInOf } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';

/** RFC 7518 and RFC 8037, without the symmetric algorithms: a public key must never serve as an HMAC secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const JWKS_TIMEOUT_MS = 2000;

const NO_ACCOUNT_ID = 'the subject (sub) is not a valid account id';
/** Messages by claim, for the operators who set the variables. */
const WRONG_CLAIM = new Map([
  ['iss', 'the issuer (iss) is not SESSION_JWT_ISSUER'],
  ['aud', 'the audience (aud) is not SESSION_JWT_AUDIENCE'],
]);

export class JwksPlatformTokens implements PlatformTokens {
  private readonly keys: JWTVerifyGetKey;
  /** The key set that jose fetched last. Tokens can be verified with it while the platform login is unavailable. */
  private readonly fetched: JWKSCacheInput = {};
  /** When the key set was fetched that the last call saw. */
  private lastSeen: number | undefined;
  private readonly outage: Outage;

  constructor(
    private readonly login: PlatformLoginConfig,
    log: Log,
  ) {
    const options = { timeoutDuration: JWKS_TIMEOUT_MS, [jwksCache]: this.fetched };
    this.keys = createRemoteJWKSet(new URL(login.jwksUrl), options);
    this.outage = new Outage(log, {
      store: 'The platform login (SESSION_JWKS_URL)',
      effect: 'its tokens cannot be verified',
      again: 'its tokens are verified again',
    });
  }

  async verify(jwt: string) {
    const { issuer, audience } = this.login;
    try {
      const { payload } = await jwtVerify(jwt, this.keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
      });
      const { sub, exp } = payload;
      // jose requires the claim to exist and does not check its type or format.
      if (typeof sub !== 'string' || accountIdProblem(sub) !== undefined) return { refusal: NO_ACCOUNT_ID };
      return { accountId: sub, issuer, expiresAt: new Date(exp! * 1000), signIn: signInOf(payload) };
    } catch (error) {
      if (isRefusal(error)) return { refusal: refusalOf(error) };
      const message = 'The platform login (SESSION_JWKS_URL) is not available: try again shortly';
      const unavailable = new LatchkeyError('unavailable', message, {}, { cause: error });
      this.outage.noticed(unavailable);
      throw unavailable;
    } finally {
      if (this.fetched.uat !== this.lastSeen) this.outage.over();
      this.lastSeen = this.fetched.uat;
    }
  }
}

/** Whether jose's error is about the token. All other errors are about fetching the keys. */
function isRefusal(error: unknown): error is errors.JOSEError {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** jose's messages for other errors name claims and headers, but never contain their values. */
function refusalOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : '';
  return WRONG_CLAIM.get(claim) ?? error.message;
}
