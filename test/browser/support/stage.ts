import { jest } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Cookie, Page } from 'playwright-core';
import { newOwner, type Owner } from '#test/support/callers/owners.js';
import { sharedService, type Service } from '#test/support/processes/service.js';
import { whereIs, worker } from '#test/support/jest/where-is.js';

/** By environment.mjs: loads the package once for all suites of a worker, outside of Jest's module registry. */
declare const latchkeyLoadOnce: (name: string) => Promise<typeof import('playwright-core')>;

// On a machine that is busy with other work each step may take seconds, and a test has dozens.
const STEP_TIMEOUT_MS = 60_000;
jest.setTimeout(5 * STEP_TIMEOUT_MS);

/** Chromium's own messages about answers that a test provokes. */
const PROVOKED =
  /^Failed to load resource: (?:the server responded with a status of 4\d\d|net::ERR_(?:FAILED|INTERNET))/;

interface Visiting {
  readonly options?: BrowserContextOptions;
  /** Before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

interface Opening extends Visiting {
  /** Default: one of its own. */
  readonly owner?: Owner;
  /** Default true. */
  readonly signedIn?: boolean;
}

/** The real service and a real browser, both shared with earlier and later suites; owners and pages are this suite's own. */
export class Stage {
  private readonly contexts: BrowserContext[] = [];
  private faults: string[] = [];

  private constructor(
    readonly service: Service,
    readonly browser: Browser,
    private readonly origins: readonly string[],
  ) {}

  /**
   * @param given the shared one unless given
   * @param elsewhere the other origins that pages may send people to
   */
  static async start(given?: Service, ...elsewhere: string[]): Promise<Stage> {
    const [service, { endpoint }, { chromium }] = await Promise.all([
      given ?? sharedService(),
      whereIs<{ endpoint: string }>(`chromium/${worker}`),
      latchkeyLoadOnce('playwright-core'),
    ]);
    return new Stage(service, await chromium.connect(endpoint), [service.url, ...elsewhere]);
  }

  newOwner(): Promise<Owner> {
    return newOwner(this.service, { displayName: 'Ada Lovelace' });
  }

  /** The settings screen in a browser without any stored data. */
  async open({ signedIn = true, ...given }: Opening = {}): Promise<{ page: Page; owner: Owner }> {
    const owner = given.owner ?? (await this.newOwner());
    const cookies = signedIn ? [this.cookieOf(owner)] : [];
    return { page: await this.visit(`${this.service.url}/settings/api-keys`, given, cookies), owner };
  }

  /** The person's session, for `visit`. */
  cookieOf(owner: Owner) {
    const [name = '', value = ''] = owner.person.cookie.split('=', 2);
    return { name, value, url: this.service.url, httpOnly: true, sameSite: 'Strict' as const };
  }

  /** Any page, in a browser without any stored data. */
  async visit(
    url: string,
    { options = {}, prepare }: Visiting = {},
    cookies: readonly (Pick<Cookie, 'name' | 'value'> & { url: string })[] = [],
  ): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      timezoneId: 'UTC',
      // Drawing motion is much of the work, and most tests are not about it; keyboard.spec.ts has it.
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    this.contexts.push(context);
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    await this.watch(context);
    await context.addCookies(cookies);
    const page = await context.newPage();
    await prepare?.(page);
    await page.goto(url);
    return page;
  }

  /** Runs after each test. Throws what went wrong on any page: errors, a breach of the policy, a request elsewhere. */
  async clear(): Promise<void> {
    const { faults } = this;
    this.faults = [];
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }

  private async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(
      `addEventListener('securitypolicyviolation', (event) =>
         console.error('securitypolicyviolation', event.violatedDirective, event.blockedURI, event.sample))`,
    );
    context.on('console', (message) => {
      const isFault = ['error', 'warning'].includes(message.type()) && !PROVOKED.test(message.text());
      if (isFault) this.faults.push(`console.${message.type()}: ${message.text()}`);
    });
    context.on('weberror', (error) => this.faults.push(`uncaught: ${error.error().stack}`));
    context.on('request', (request) => {
      const isOwn = this.origins.includes(new URL(request.url()).origin) || request.url().startsWith('data:');
      if (!isOwn) this.faults.push(`a request to ${request.url()}`);
    });
  }
}
