import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenIdProvider } from '../support/platform/openid-provider.js';
import { PlatformService, SESSION, SIGN_IN_COOKIE } from '../support/platform/platform-service.js';
import { startServiceHere, type Service } from '../support/processes/service.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { sql } from '../support/stores/sql.js';
import { HttpBrowser } from '../support/callers/http-browser.js';

const ERROR = 50;

describe('a refused sign-in at an OpenID provider', () => {
  let platform: PlatformService;
  let provider: OpenIdProvider;
  let service: Service;
  let page: string;
  beforeAll(async () => {
    platform = await PlatformService.start();
    ({ provider, service, page } = platform);
  });
  afterAll(() => platform?.stop());
  afterEach(() => {
    provider.comeBack();
    provider.setVisitor(undefined);
  });

  const expectNoSession = async (browser: HttpBrowser) => {
    expect(browser.cookies(service.url).has(SESSION)).toBe(false);
    expect((await platform.session(browser)).status).toBe(401);
  };

  test('opens no session for an answer that is used a second time', async () => {
    provider.setVisitor({ accountId: await platform.newOwner() });
    const browser = new HttpBrowser();
    const callback = await platform.upToCallback(browser);
    const kept = browser.cookies(service.url).get(SIGN_IN_COOKIE)!;
    expect(await browser.visit(callback)).toBe(`${page}#signed-in`);
    expect(browser.cookies(service.url).has(SIGN_IN_COOKIE)).toBe(false);
    browser.cookies(service.url).delete(SESSION);
    expect(await browser.visit(callback)).toBe(`${page}#refused=expired`);
    // This holds even with a copy of the cookie.
    browser.cookies(service.url).set(SIGN_IN_COOKIE, kept);
    expect(await browser.visit(callback)).toBe(`${page}#refused=expired`);
    await expectNoSession(browser);
  });

  test('opens no session for the state of an earlier sign-in', async () => {
    provider.setVisitor({ accountId: await platform.newOwner() });
    const withEarlierState = (earlier: string, later: string) => {
      const callback = new URL(later);
      callback.searchParams.set('state', new URL(earlier).searchParams.get('state')!);
      return callback.href;
    };
    for (const callbackOf of [(earlier: string) => earlier, withEarlierState]) {
      const browser = new HttpBrowser();
      const callback = callbackOf(await platform.upToCallback(browser), await platform.upToCallback(browser));
      expect(await browser.visit(callback)).toBe(`${page}#refused=failed`);
      await expectNoSession(browser);
    }
  });

  test('opens no session for a callback in another browser', async () => {
    provider.setVisitor({ accountId: await platform.newOwner() });
    const callback = await platform.upToCallback(new HttpBrowser());
    const stranger = new HttpBrowser();
    expect(await stranger.visit(callback)).toBe(`${page}#refused=expired`);
    const other = new HttpBrowser();
    await platform.upToCallback(other);
    expect(await other.visit(callback)).toBe(`${page}#refused=failed`);
    await expectNoSession(stranger);
    await expectNoSession(other);
  });

  test.each([
    ['made up', 'x.y.z.a.b'],
    ['empty', ''],
    ['plain', Buffer.from('{"underWay":{"state":"s"}}').toString('base64url')],
  ])('opens no session when the sign-in cookie is %s', async (_what, value) => {
    const browser = new HttpBrowser();
    provider.setVisitor({ accountId: await platform.newOwner() });
    const callback = await platform.upToCallback(new HttpBrowser());
    browser.cookies(service.url).set(SIGN_IN_COOKIE, value);
    expect(await browser.visit(callback)).toBe(`${page}#refused=expired`);
    await expectNoSession(browser);
  });

  test.each([
    ['wrong', 'https://evil.example.org'],
    ['left out', undefined],
  ])('opens no session when iss of the answer is %s (RFC 9207)', async (_what, iss) => {
    provider.setVisitor({ accountId: await platform.newOwner() });
    const browser = new HttpBrowser();
    const callback = new URL(await platform.upToCallback(browser));
    expect(callback.searchParams.get('iss')).toBe(provider.issuer);
    if (iss) callback.searchParams.set('iss', iss);
    else callback.searchParams.delete('iss');
    expect(await browser.visit(callback.href)).toBe(`${page}#refused=failed`);
    await expectNoSession(browser);
  });

  test('says that sign-in is misconfigured when the provider refuses the client’s secret', async () => {
    const { url: PUBLIC_URL, databaseUrl: DATABASE_URL } = service;
    const log = new PrintedLog();
    const wrong = { ...provider.env, OIDC_CLIENT_SECRET: 'another secret of 32 characters and more' };
    const started = await startServiceHere({ ...wrong, PUBLIC_URL, DATABASE_URL, LOG_LEVEL: 'error' });
    try {
      provider.setVisitor({ accountId: await platform.newOwner() });
      const browser = new HttpBrowser();
      const callback = new URL(await browser.visit(`${started.url}/v1/session/oidc`, '/v1/session/oidc/callback'));
      const answer = await fetch(`${started.url}${callback.pathname}${callback.search}`, {
        headers: { cookie: `${SIGN_IN_COOKIE}=${browser.cookies(started.url).get(SIGN_IN_COOKIE)}` },
        redirect: 'manual',
      });
      expect(answer.headers.get('location')).toBe(`${page}#refused=misconfigured`);
      expect(log.named('a sign-in at the platform failed')).toMatchObject([
        { level: ERROR, reason: 'the provider refused OIDC_CLIENT_ID or OIDC_CLIENT_SECRET' },
      ]);
    } finally {
      await started.stop();
      log.stop();
    }
  });

  test('opens no session when the person or the provider declines', async () => {
    const browser = new HttpBrowser();
    const request = (await browser.go(new URL(platform.begin())))!;
    const answer = { error: 'access_denied', state: request.searchParams.get('state')!, iss: provider.issuer };
    const callback = `${service.url}/v1/session/oidc/callback?${new URLSearchParams(answer)}`;
    expect(await browser.visit(callback)).toBe(`${page}#refused=cancelled`);
    await expectNoSession(browser);
  });

  test('is reported as unavailable while the provider is away, and works when it is back', async () => {
    const id = await platform.newOwner();
    const browser = new HttpBrowser();
    provider.setVisitor({ accountId: id });
    const callback = await platform.upToCallback(browser);
    provider.goAway();
    expect(await browser.visit(callback)).toBe(`${page}#refused=unavailable`);
    await expectNoSession(browser);
    provider.comeBack();
    expect(await browser.visit(platform.begin())).toBe(`${page}#signed-in`);
  });

  test('is reported as unavailable by a new instance that cannot reach the provider, which tries again', async () => {
    provider.goAway();
    const started = await platform.another();
    try {
      const begin = async () => {
        const { headers } = await fetch(`${started.url}/v1/session/oidc`, { redirect: 'manual' });
        return headers.get('location')!;
      };
      expect(await begin()).toBe(`${page}#refused=unavailable`);
      provider.comeBack();
      expect(await begin()).toMatch(new RegExp(`^${provider.issuer}/auth`));
    } finally {
      await started.stop();
    }
  });

  test.each(['no_account', 'suspended', 'deleted'] as const)(
    'opens no session for a person who is %s, and is recorded',
    async (what) => {
      const id = what === 'no_account' ? `auth0|${randomUUID()}` : await platform.newOwner();
      if (what === 'suspended') await service.clients.account('SuspendAccount', id);
      if (what === 'deleted') await service.clients.account('DeleteAccount', id);
      provider.setVisitor({ accountId: id });
      const browser = new HttpBrowser();
      expect(await browser.visit(platform.begin())).toBe(`${page}#refused=${what}`);
      await expectNoSession(browser);
      const [event] = await sql<{ reason: string; owner_id: string | null }>(
        service.databaseUrl,
        `SELECT reason, owner_id FROM audit_events WHERE type = 'authentication.failed' ORDER BY id DESC LIMIT 1`,
      );
      const reasons = { no_account: 'invalid-token', suspended: 'owner-suspended', deleted: 'owner-deleted' };
      expect(event).toEqual({ reason: reasons[what], owner_id: what === 'no_account' ? null : id });
    },
  );
});
