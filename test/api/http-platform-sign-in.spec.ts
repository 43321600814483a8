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

  test('opens a session for the account that the provider names', async () => {
    const id = await platform.newOwner();
    const { status, body } = await platform.session(await platform.signedIn(id));
    expect([status, body.ownerId, body.confirmation]).toEqual([200, id, 'fresh-sign-in']);
  });

  test('uses PKCE, state and nonce, and encrypts them in the cookie', async () => {
    const browser = new HttpBrowser();
    const request = (await browser.go(new URL(platform.begin('confirmation'))))!;
    const query = Object.fromEntries(request.searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'latchkey',
      redirect_uri: `${service.url}/v1/session/oidc/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
      max_age: '300',
      acr_values: 'gold',
    });
    const cookie = Buffer.from(browser.cookies(service.url).get(SIGN_IN_COOKIE)!, 'base64').toString('latin1');
    for (const secret of ['state', 'nonce', 'code_challenge']) {
      expect(query[secret]!.length).toBeGreaterThan(40);
      expect(cookie).not.toContain(query[secret]);
    }
    const plain = (await browser.go(new URL(platform.begin())))!.searchParams;
    expect([plain.get('max_age'), plain.get('acr_values')]).toEqual([null, null]);
    expect(plain.get('state')).not.toBe(query['state']);
  });

  test('has a cookie that is Lax, HttpOnly and valid for ten minutes', async () => {
    const response = await fetch(platform.begin(), { redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [line] = response.headers.getSetCookie();
    expect(line).toMatch(/^latchkey_sign_in=[\w.-]+; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/);
  });

  test('lets the person choose an account on request, and passes no other prompt on', async () => {
    const promptOf = async (query: string) => {
      const { headers } = await fetch(`${service.url}/v1/session/oidc?${query}`, { redirect: 'manual' });
      return new URL(headers.get('location')!).searchParams.get('prompt');
    };
    expect(await promptOf('prompt=select_account')).toBe('select_account');
    expect(await promptOf('purpose=confirmation&prompt=select_account')).toBe('select_account');
    for (const query of ['', 'prompt=none', 'prompt=select_account&prompt=none'])
      expect(await promptOf(query)).toBeNull();
  });

  test('opens a new session and ends the previous one of the browser', async () => {
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

  test('is ended at the provider too with OIDC_SIGN_OUT=provider: the sign-out says where', async () => {
    const started = await platform.another({ OIDC_SIGN_OUT: 'provider' });
    try {
      const browser = await platform.signedIn(await platform.newOwner());
      const cookie = `${SESSION}=${browser.cookies(service.url).get(SESSION)}`;
      const signOut = () => started.person().call('DELETE', '/v1/session', undefined, { cookie });
      const { status, headers, body } = await signOut();
      expect([status, headers.getSetCookie().length]).toEqual([200, 1]);
      const url = new URL(body.signOutUrl);
      expect([url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([provider.issuer, page]);
      expect((await platform.session(browser)).status).toBe(401);
      expect(await signOut()).toMatchObject({ status: 204, body: undefined });
    } finally {
      await started.stop();
    }
  });

  test('is ended only here by default', async () => {
    const browser = await platform.signedIn(await platform.newOwner());
    const cookie = `${SESSION}=${browser.cookies(service.url).get(SESSION)}`;
    expect((await service.person().call('DELETE', '/v1/session', undefined, { cookie })).status).toBe(204);
  });

  describe('as the confirmation of a creation', () => {
    const stepUp = async (browser: HttpBrowser, accountId: string, how: object = { acr: 'gold' }) => {
      provider.setVisitor({ accountId, ...how });
      return browser.visit(platform.begin('confirmation'));
    };

    test('is valid for several keys when it is fresh and strong enough', async () => {
      const id = await platform.newOwner();
      const browser = await platform.signedIn(id);
      expect((await platform.create(browser)).body.code).toBe('confirmation_required');
      expect(await stepUp(browser, id)).toBe(`${page}#signed-in`);
      expect((await platform.create(browser)).status).toBe(201);
      expect((await platform.create(browser)).status).toBe(201);
    });

    test('is not valid without auth_time', async () => {
      const id = await platform.newOwner();
      // Without max_age, this provider leaves it out.
      const browser = await platform.signedIn(id);
      const { status, headers } = await platform.create(browser);
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="insufficient_user_authentication", max_age="300", acr_values="gold"',
      ]);
    });

    test('is not valid with an older auth_time than the service required', async () => {
      const id = await platform.newOwner();
      const browser = new HttpBrowser();
      const authTime = Math.floor(Date.now() / 1000) - 400;
      expect(await stepUp(browser, id, { acr: 'gold', authTime })).toBe(`${page}#signed-in=too_old`);
      expect([(await platform.session(browser)).status, (await platform.create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test.each([
      ['missing', {}],
      ['another', { acr: 'silver' }],
    ])('is not valid when acr is %s', async (_what, how) => {
      const id = await platform.newOwner();
      const browser = new HttpBrowser();
      expect(await stepUp(browser, id, how)).toBe(`${page}#signed-in=too_weak`);
      expect([(await platform.session(browser)).status, (await platform.create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test('signs another person in if that one appears, and the page says so', async () => {
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

  test('keeps working when the provider rotates its keys', async () => {
    const id = await platform.newOwner();
    await platform.signedIn(id);
    await provider.rotateKeys();
    expect((await platform.session(await platform.signedIn(id))).body.ownerId).toBe(id);
  });

  test('may begin at one instance and end at another', async () => {
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

  test('may use another claim, and an email address only if it is verified', async () => {
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

test('the routes of the OpenID sign-in answer 404 without OIDC_ISSUER', async () => {
  const plain = await startService();
  try {
    for (const path of ['/v1/session/oidc', '/v1/session/oidc/callback?code=x&state=y']) {
      expect(await plain.person().call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  } finally {
    await plain.stop();
  }
});
