import * as oidc from 'openid-client';
import type { OidcConfig } from '../../../config/sign-in-config.js';
import { MINUTE_MS } from '../../../domain/time.js';
import type { Log } from '../../telemetry/log.js';
import { Outage } from '../../telemetry/outage.js';
import { discoveryError } from './sign-in-error.js';

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
        const unavailable = discoveryError(error);
        this.outage.noticed(unavailable, { tried: metadataUrl(issuer) });
        throw unavailable;
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
