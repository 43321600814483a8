import { randomUUID } from 'node:crypto';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { startOpenIdProvider, type OpenIdProvider } from './openid-provider.js';
import type { Answer } from '../callers/person.js';
import { startService, type Service } from '../processes/service.js';
import { HttpBrowser } from '../callers/http-browser.js';

export const SESSION = 'latchkey_session';
export const SIGN_IN_COOKIE = 'latchkey_sign_in';

const ORDER = { name: 'CI', access: 'read-only', expiresInDays: 1 };

/** The service with an OpenID provider, and people who are redirected between them. */
export class PlatformService {
  private constructor(
    readonly provider: OpenIdProvider,
    readonly service: Service,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}, providerHost?: string): Promise<PlatformService> {
    const HTTP_PORT = String(await freePort());
    const provider = await startOpenIdProvider(`http://127.0.0.1:${HTTP_PORT}/v1/session/oidc/callback`, providerHost);
    return new PlatformService(provider, await startService({ HTTP_PORT, ...provider.env, ...env }));
  }

  /** Starts another instance, behind the same public address. */
  another(env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const { url, databaseUrl } = this.service;
    return startService({ ...this.provider.env, DATABASE_URL: databaseUrl, PUBLIC_URL: url, ...env });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.provider.stop();
  }

  get page(): string {
    return `${this.service.url}/settings/api-keys`;
  }

  /** An account without a password. */
  async newOwner(displayName = 'Ada Lovelace'): Promise<string> {
    const id = `auth0|${randomUUID()}`;
    await this.service.clients.putAccount({ id, email: `${randomUUID()}@example.com`, displayName });
    return id;
  }

  begin(purpose = 'sign-in'): string {
    return `${this.service.url}/v1/session/oidc?purpose=${purpose}`;
  }

  /** Follows the redirects up to the callback, without calling it. */
  upToCallback(browser: HttpBrowser): Promise<string> {
    return browser.visit(this.begin(), '/v1/session/oidc/callback');
  }

  async signedIn(accountId: string): Promise<HttpBrowser> {
    const browser = new HttpBrowser();
    this.provider.setVisitor({ accountId, acr: 'gold' });
    const landing = await browser.visit(this.begin());
    if (landing !== `${this.page}#signed-in`) throw new Error(`landed at ${landing}`);
    return browser;
  }

  session(browser: HttpBrowser): Promise<Answer> {
    return browser.person(this.service.url).call('GET', '/v1/session');
  }

  create(browser: HttpBrowser): Promise<Answer> {
    return browser.person(this.service.url).call('POST', '/v1/api-keys', ORDER);
  }
}
