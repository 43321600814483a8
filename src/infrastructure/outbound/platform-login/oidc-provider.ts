import * as oidc from 'openid-client';
import type { OidcConfig } from '#config/sign-in-config.js';
import { LatchkeyError } from '#domain/errors.js';
import { MINUTE_MS } from '#domain/time.js';
import { causeOf, type Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';

const TIMEOUT_SECONDS = 5;
/** The provider's metadata rarely changes, so it is not fetched for every click. */
const METADATA_KEPT_MS = 10 * MINUTE_MS;

/** The provider that OIDC_ISSUER names: what it says about itself, and clients for it. Its outages are logged. */
export class OidcProvider {
  private readonly outage: Outage;
  private known: { readonly value: Promise<oidc.ServerMetadata>; readonly until: number } | undefined;

  constructor(
    private readonly config: OidcConfig,
    log: Log,
  ) {
    this.outage = new Outage(log, {
      store: 'The platform login (OIDC_ISSUER)',
      effect: 'people cannot sign in until it answers as it should. Each sign-in tries it again',
      again: 'people can sign in',
    });
  }

  /** A new client for each sign-in, because it then fetches the provider's current signing keys. */
  async client(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = this.config;
    const metadata = await this.metadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    const client = new oidc.Configuration(metadata, clientId, clientSecret, authentication(clientSecret));
    client.timeout = TIMEOUT_SECONDS;
    if (this.isLocal) oidc.allowInsecureRequests(client);
    // Checks the signature too, although the token comes directly from the provider.
    oidc.enableNonRepudiationChecks(client);
    return client;
  }

  /** Calls at the same time share one request. A failure is not cached. Throws `unavailable`. */
  metadata(): Promise<oidc.ServerMetadata> {
    if (this.known && this.known.until > performance.now()) return this.known.value;
    const { issuer, clientId, clientSecret } = this.config;
    const execute = this.isLocal ? [oidc.allowInsecureRequests] : [];
    const value = oidc
      .discovery(new URL(issuer), clientId, clientSecret, undefined, { timeout: TIMEOUT_SECONDS, execute })
      .then((configuration) => {
        this.outage.over();
        return configuration.serverMetadata();
      })
      .catch((error: unknown) => {
        this.known = undefined;
        const failure = discoveryError(error);
        this.outage.noticed(failure, { tried: metadataUrl(issuer) });
        throw failure;
      });
    this.known = { value, until: performance.now() + METADATA_KEPT_MS };
    return value;
  }

  private get isLocal(): boolean {
    return this.config.issuer.startsWith('http:');
  }
}

/** As the library makes it, without a password in the URL. */
function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** Error codes of the library that concern reaching the provider, not the content of its answer. */
const OUTAGES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];
const UNAUTHORIZED = 401;
const SERVER_ERRORS = 500;
const LONGEST_ISSUER = 200;

/** The error of a failed request for tokens, which the provider answers only if it accepts our credentials. */
export function tokenError(error: unknown): LatchkeyError {
  const isRefused =
    (error instanceof oidc.ResponseBodyError && (error.error === 'invalid_client' || error.status === UNAUTHORIZED)) ||
    (error instanceof oidc.WWWAuthenticateChallengeError && error.status === UNAUTHORIZED);
  if (isRefused) return failed('misconfigured', 'the provider refused OIDC_CLIENT_ID or OIDC_CLIENT_SECRET');
  const isDeclined = error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied';
  return isDeclined ? failed('cancelled', reasonOf(error)) : signInError(error);
}

function failed(signInFailure: 'cancelled' | 'misconfigured', reason: string): LatchkeyError {
  const cause = new Error(reason);
  return new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed', { signInFailure }, { cause });
}

/** The error of a failed sign-in. Its cause leaves out everything that may contain a token. */
export function signInError(error: unknown): LatchkeyError {
  if (isOutage(error)) return unavailable(reasonOf(error));
  const cause = new Error(reasonOf(error));
  return new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed', {}, { cause });
}

/** The provider's metadata could not be fetched, or they are not those of OIDC_ISSUER. */
function discoveryError(error: unknown): LatchkeyError {
  const { cause } = error as { cause?: unknown };
  const code = error instanceof oidc.ClientError ? error.code : undefined;
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const { issuer } = (cause as { body: { issuer: string } }).body;
    const shown = JSON.stringify(issuer.slice(0, LONGEST_ISSUER));
    return unavailable(`it is the issuer ${shown}: set OIDC_ISSUER to exactly that, if it is yours`);
  }
  if (code === 'OAUTH_RESPONSE_IS_NOT_JSON') return unavailable('it answered with something else than JSON');
  if (cause instanceof Response) return unavailable(`it answered with the status ${cause.status}`);
  return unavailable(causeOf(error));
}

function unavailable(reason: string): LatchkeyError {
  const message = 'The platform login (OIDC_ISSUER) is not available: try again shortly';
  return new LatchkeyError('unavailable', message, {}, { cause: new Error(reason) });
}

function isOutage(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError) {
    return error.status >= SERVER_ERRORS;
  }
  // Without a code, the library passes on an error that fetch threw.
  if (error instanceof oidc.ClientError) return error.code === undefined || OUTAGES.includes(error.code);
  return !(error instanceof oidc.AuthorizationResponseError);
}

function reasonOf(error: unknown): string {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError) {
    return `${error.code}: ${error.error.slice(0, 64)}`;
  }
  if (error instanceof oidc.ClientError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : 'unknown';
}
