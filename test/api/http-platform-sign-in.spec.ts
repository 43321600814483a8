import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenIdProvider } from '../support/platform/openid-provider.js';
import { PlatformService, SESSION, SIGN_IN_COOKIE } from '../support/platform/platform-service.js';
import { startService, type Service } from '../support/processes/service.js';
import { HttpBrowser } from '../support/callers/http-browser.js';

describe('signing in at an OpenID provider', () => {
  let platform: PlatformService;
  let provider: OpenIdProvider;
  let service: Service;
  let page: string;
  beforeAll(async () => {
    platform = await PlatformService.start({ CONFIRMATION_ACR_VALUES: 'gold' });
    ({ provider, service, page } = platform);
  });
  afterAll(() => platform?.stop());
  afterEach(() => {
    provider.comeBack();
    provider.setVisitor(undefined);
  });

  test('opens a session of the account that the provider names, without a password', async () => {
    const id = await platform.newOwner();
    const { status, body } = await platform.session(await platform.signedIn(id));
    expect([status, body.ownerId, body.confirmation]).toEqual([200, id, 'fresh-sign-in']);
  });

  test('asks with PKCE, state and nonce, and leaves nothing of them in the cookie to read', async () => {
    const browser = new HttpBrowser();
    const asked = (await browser.go(new URL(platform.begin('confirmation'))))!;
    const query = Object.fromEntries(asked.searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'latchkey',
      redirect_uri: `${service.url}/v1/session/oidc/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
      max_age: '300',
      acr_values: 'gold',
    });
    const kept = Buffer.from(browser.cookies(service.url).get(SIGN_IN_COOKIE)!, 'base64').toString('latin1');
    for (const secret of ['state', 'nonce', 'code_challenge']) {
      expect(query[secret]!.length).toBeGreaterThan(40);
      expect(kept).not.toContain(query[secret]);
    }
    const plain = (await browser.go(new URL(platform.begin())))!.searchParams;
    expect([plain.get('max_age'), plain.get('acr_values')]).toEqual([null, null]);
    expect(plain.get('state')).not.toBe(query['state']);
  });

  test('keeps what is under way for ten minutes, Lax and out of reach of scripts', async () => {
    const response = await fetch(platform.begin(), { redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [line] = response.headers.getSetCookie();
    expect(line).toMatch(/^latchkey_sign_in=[\w.-]+; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/);
  });

  test('is always a new session, and ends the one that the browser had', async () => {
    const id = await platform.newOwner();
    const browser = await platform.signedIn(id);
    const earlier = browser.cookies(service.url).get(SESSION)!;
    expect(await browser.visit(platform.begin())).toBe(`${page}#signed-in`);
    expect(browser.cookies(service.url).get(SESSION)).not.toBe(earlier);
    const old = new HttpBrowser();
    old.cookies(service.url).set(SESSION, earlier);
    expect((await platform.session(old)).status).toBe(401);
    expect((await platform.session(browser)).status).toBe(200);
  });

  describe('confirms the creation of a key', () => {
    const stepUp = async (browser: HttpBrowser, accountId: string, how: object = { acr: 'gold' }) => {
      provider.setVisitor({ accountId, ...how });
      return browser.visit(platform.begin('confirmation'));
    };

    test('by a sign-in afresh, strong enough: 201, and again', async () => {
      const id = await platform.newOwner();
      const browser = await platform.signedIn(id);
      expect((await platform.create(browser)).body.code).toBe('confirmation_required');
      expect(await stepUp(browser, id)).toBe(`${page}#signed-in`);
      expect((await platform.create(browser)).status).toBe(201);
      expect((await platform.create(browser)).status).toBe(201);
    });

    test('not by a session whose provider did not say when: auth_time is missing', async () => {
      const id = await platform.newOwner();
      // Without max_age, this provider leaves it out.
      const browser = await platform.signedIn(id);
      const { status, headers } = await platform.create(browser);
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="insufficient_user_authentication", max_age="300", acr_values="gold"',
      ]);
    });

    test('not where the provider answers an older auth_time than it was asked for', async () => {
      const id = await platform.newOwner();
      const browser = new HttpBrowser();
      const authTime = Math.floor(Date.now() / 1000) - 400;
      expect(await stepUp(browser, id, { acr: 'gold', authTime })).toBe(`${page}#signed-in`);
      expect([(await platform.session(browser)).status, (await platform.create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test.each([
      ['missing', {}],
      ['another', { acr: 'silver' }],
    ])('not where acr is %s', async (_what, how) => {
      const id = await platform.newOwner();
      const browser = new HttpBrowser();
      expect(await stepUp(browser, id, how)).toBe(`${page}#signed-in`);
      expect([(await platform.session(browser)).status, (await platform.create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test('of the person who asked: another one is signed in, and the page says so', async () => {
      const [one, two] = [await platform.newOwner(), await platform.newOwner()];
      const browser = await platform.signedIn(one);
      const earlier = browser.cookies(service.url).get(SESSION)!;
      browser.cookies(provider.issuer).clear();
      expect(await stepUp(browser, two)).toBe(`${page}#signed-in=another`);
      expect((await platform.session(browser)).body.ownerId).toBe(two);
      const old = new HttpBrowser();
      old.cookies(service.url).set(SESSION, earlier);
      expect((await platform.session(old)).status).toBe(401);
    });
  });

  test('goes on when the provider signs with other keys', async () => {
    const id = await platform.newOwner();
    await platform.signedIn(id);
    await provider.rotateKeys();
    expect((await platform.session(await platform.signedIn(id))).body.ownerId).toBe(id);
  });

  test('begins at one instance and ends at another', async () => {
    provider.setVisitor({ accountId: await platform.newOwner() });
    const other = await platform.another();
    try {
      const browser = new HttpBrowser();
      const callback = await platform.upToCallback(browser);
      const elsewhere = callback.replace(service.url, other.url);
      browser.cookies(other.url).set(SIGN_IN_COOKIE, browser.cookies(service.url).get(SIGN_IN_COOKIE)!);
      expect(await browser.visit(elsewhere)).toBe(`${page}#signed-in`);
      expect(browser.cookies(other.url).has(SESSION)).toBe(true);
    } finally {
      await other.stop();
    }
  });

  test('is described in /openapi.json', async () => {
    const { body } = await service.person().call('GET', '/openapi.json');
    for (const path of ['/v1/session/oidc', '/v1/session/oidc/callback']) {
      expect(Object.keys(body.paths[path].get.responses)).toEqual(['303']);
    }
  });

  test('may go by another claim, and by an email address only where it is verified', async () => {
    const byEmail = await platform.another({ OIDC_ACCOUNT_CLAIM: 'email' });
    try {
      for (const [id, landing] of [
        [`${randomUUID()}@example.com`, 'signed-in'],
        [`unverified-${randomUUID()}@example.com`, 'refused=no_account'],
      ] as const) {
        await service.clients.putAccount({ id, email: id });
        provider.setVisitor({ accountId: id });
        const browser = new HttpBrowser();
        const callback = await platform.upToCallback(browser);
        browser.cookies(byEmail.url).set(SIGN_IN_COOKIE, browser.cookies(service.url).get(SIGN_IN_COOKIE)!);
        expect(await browser.visit(callback.replace(service.url, byEmail.url))).toBe(`${page}#${landing}`);
      }
    } finally {
      await byEmail.stop();
    }
  });
});

test('without OIDC_ISSUER there is nothing at these addresses', async () => {
  const plain = await startService();
  try {
    for (const path of ['/v1/session/oidc', '/v1/session/oidc/callback?code=x&state=y']) {
      expect(await plain.person().call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  } finally {
    await plain.stop();
  }
});
