import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPlatformLogin } from '#test/support/platform/platform-login.js';
import { makeHostPages, type HostPages } from './host-pages.js';

/** Longer than any confirmation may be old. */
export const LONG_AGO_SECONDS = 2 * 86_400;

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

/** A login with two buttons. The opener gets the token, as from the window of a real login. */
const SIGN_IN = `<!doctype html><html lang="en"><title>Sign in</title><link rel="icon" href="data:," />
<main><h1>Sign in again</h1><button>Sign in</button></main>
<script>document.querySelector('button').onclick = async () => {
  const answer = await fetch('/token' + location.search);
  opener.postMessage(await answer.text(), location.origin);
}</script></html>`;

/** A platform with a login of its own and a page with the panel, at an origin that is not the service's. */
export class Platform {
  /** Who is signed in if the page's address does not say it. */
  signedIn = '';
  /** Who signs in again. Default: the same person. */
  nextPerson: string | undefined;
  /** The age of the authentication, at first and after signing in again. */
  ageSeconds = { before: LONG_AGO_SECONDS, again: 0 };

  private constructor(
    readonly url: string,
    readonly pages: HostPages,
    private readonly login: Awaited<ReturnType<typeof startPlatformLogin>>,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Platform> {
    const pages = await makeHostPages();
    const login = await startPlatformLogin();
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const address = new URL(request.url ?? '/', platform.url);
      platform.answer(address, response).catch((error: unknown) => response.writeHead(404).end(String(error)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // By another name than the service's address, which makes it another site too.
    const platform: Platform = new Platform(`http://localhost:${port}`, pages, login, async () => {
      server.closeAllConnections();
      server.close();
      await login.stop();
    });
    return platform;
  }

  /** The service's settings for this platform. */
  get env() {
    return {
      ...this.login.env,
      ALLOWED_ORIGINS: this.url,
    };
  }

  pageOf(account: string, service: { readonly url: string }): string {
    return `${this.url}/?${new URLSearchParams({ account, api: service.url })}`;
  }

  /** The page of the panel's README, or the one with other texts, of the person who is signed in. */
  pageNamed(name: 'bare' | 'words', service: { readonly url: string }, words = ''): string {
    return `${this.url}/${name}?${new URLSearchParams({ api: service.url, words })}`;
  }

  /** Restores the defaults. */
  reset(): void {
    this.nextPerson = undefined;
    this.ageSeconds = { before: LONG_AGO_SECONDS, again: 0 };
  }

  private async answer({ pathname, searchParams }: URL, response: ServerResponse): Promise<void> {
    if (pathname === '/token') return void response.end(await this.issue(searchParams));
    const body = pathname === '/sign-in' ? SIGN_IN : await this.read(pathname);
    const type = TYPES[pathname.split('.').pop() ?? ''] ?? 'text/html';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  }

  /** The page of the example, those by their names, and what the three of them load. */
  private async read(pathname: string): Promise<Buffer> {
    const { host, bare, words } = this.pages.built;
    const page = { '/': host, '/bare': bare, '/words': words }[pathname];
    if (page) return readFile(join(page, 'index.html'));
    const holder = [host, bare, words].find((folder) => existsSync(join(folder, pathname)));
    return readFile(join(holder ?? host, pathname));
  }

  private issue(query: URLSearchParams): Promise<string> {
    const isAgain = query.has('max_age');
    const [acr] = (query.get('acr_values') ?? '').split(' ');
    const age = isAgain ? this.ageSeconds.again : this.ageSeconds.before;
    const claims = {
      sub: (isAgain && this.nextPerson) || query.get('account') || this.signedIn,
      auth_time: Math.floor(Date.now() / 1000) - age,
      ...(acr && { acr }),
    };
    return this.login.token(claims);
  }
}
