import { hkdfSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { HttpBrowser } from '../support/callers/http-browser.js';
import { CLIENT, type OpenIdProvider } from '../support/platform/openid-provider.js';
import { PlatformService, SIGN_IN_COOKIE } from '../support/platform/platform-service.js';
import type { Service } from '../support/processes/service.js';
import { failuresOf } from '../support/stores/recorded-failures.js';
import { sql } from '../support/stores/sql.js';

describe('The cookie of a pending sign-in, which any stranger gets', () => {
  /** How the first releases made the key of the cookie. */
  const keyFrom = (clientSecret: string) =>
    new Uint8Array(hkdfSync('sha256', clientSecret, '', 'latchkey sign-in cookie', 32));

  let platform: PlatformService;
  let service: Service;
  beforeAll(async () => {
    platform = await PlatformService.start();
    service = platform.service;
  });
  afterAll(() => platform?.stop());

  /** Takes a sign-in with this cookie to its end at an instance. Returns the result that the page would show. */
  const finishAt = async (at: Service, cookie: string, callback: string): Promise<string> => {
    const browser = new HttpBrowser();
    browser.cookies(at.url).set(SIGN_IN_COOKIE, cookie);
    return new URL(await browser.visit(callback.replace(service.url, at.url))).hash;
  };
  const begin = async () => {
    platform.provider.setVisitor({ accountId: await platform.newOwner() });
    const browser = new HttpBrowser();
    const callback = await platform.upToCallback(browser);
    return { callback, cookie: browser.cookies(service.url).get(SIGN_IN_COOKIE)! };
  };

  test('shows no right guess of OIDC_CLIENT_SECRET, because its key is not made from it', async () => {
    const { cookie } = await begin();
    const outcome = jwtDecrypt(cookie, keyFrom(CLIENT.secret)).then(
      () => 'guessed',
      () => 'shows nothing',
    );
    expect(await outcome).toBe('shows nothing');
  });

  test('is valid at every instance on the same database, also at one with another client secret', async () => {
    const other = await platform.another({ OIDC_CLIENT_SECRET: 'another secret' });
    try {
      const { cookie, callback } = await begin();
      // The provider refuses the other secret, so the cookie was accepted before.
      expect(await finishAt(other, cookie, callback)).toBe('#refused=misconfigured');
    } finally {
      await other.stop();
    }
  });

  test('is not valid at an instance on another database, although the client secret is the same', async () => {
    const stranger = await PlatformService.start();
    try {
      const { cookie, callback } = await begin();
      expect(await finishAt(stranger.service, cookie, callback)).toBe('#refused=expired');
    } finally {
      await stranger.stop();
    }
  });

  test('is refused with a page that says to begin again if the last release made it during an upgrade', async () => {
    const { callback } = await begin();
    const state = new URL(callback).searchParams.get('state')!;
    const underWay = { state, nonce: 'n', codeVerifier: 'v', purpose: 'sign-in' };
    const cookie = await new EncryptJWT({ underWay })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime('10 minutes')
      .encrypt(keyFrom(CLIENT.secret));
    expect(await finishAt(service, cookie, callback)).toBe('#refused=expired');
  });
});

describe('A stranger who calls the callback of sign-ins', () => {
  /** A sign-in that a stranger began, and never went to the provider for. */
  interface Begun {
    readonly cookie: string;
    readonly state: string;
  }

  const times = <T>(count: number, work: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => work(n)));

  let platform: PlatformService;
  let provider: OpenIdProvider;
  let service: Service;
  let other: Service;
  beforeAll(async () => {
    platform = await PlatformService.start({ TRUSTED_PROXIES: 'loopback' });
    ({ provider, service } = platform);
    other = await platform.another({ TRUSTED_PROXIES: 'loopback' });
  });
  afterAll(async () => {
    await other?.stop();
    await platform?.stop();
  });
  afterEach(() => provider.resume());

  const begin = async (ip: string): Promise<Begun> => {
    const { headers } = await fetch(platform.begin(), { redirect: 'manual', headers: { 'x-forwarded-for': ip } });
    const state = new URL(headers.get('location')!).searchParams.get('state')!;
    return { cookie: headers.getSetCookie()[0]!.split(';')[0]!, state };
  };
  /** Comes back with a code that the provider never issued. Returns the result that the page would show. */
  const comeBack = async ({ cookie, state }: Begun, ip: string, at = service): Promise<string> => {
    const query = new URLSearchParams({ code: 'made-up', state, iss: provider.issuer });
    const headers = { cookie, 'x-forwarded-for': ip };
    const answer = await fetch(`${at.url}/v1/session/oidc/callback?${query}`, { redirect: 'manual', headers });
    return new URL(answer.headers.get('location')!).hash;
  };
  /** The failures on the audit trail, by reason. */
  const failuresFrom = (ip: string) => failuresOf(service.databaseUrl, 'client_ip', ip);

  test('causes one request to the provider for each sign-in, however often it is replayed on all instances', async () => {
    const ip = '192.0.2.10';
    const begun = await begin(ip);
    const before = provider.tokenRequests.seen;
    const results = await times(40, (n) => comeBack(begun, ip, n % 2 === 0 ? service : other));
    expect(provider.tokenRequests.seen - before).toBe(1);
    expect(results.toSorted()).toEqual([...Array.from({ length: 39 }, () => '#refused=expired'), '#refused=failed']);
    expect(await failuresFrom(ip)).toEqual({ 'invalid-token': 40 });
  });

  test('causes at most a hundred requests to the provider at once, and six a minute', async () => {
    const ip = '192.0.2.11';
    const before = provider.tokenRequests.seen;
    const startedAt = performance.now();
    const results: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      results.push(...(await times(25, async () => comeBack(await begin(ip), ip))));
    }
    const sent = provider.tokenRequests.seen - before;
    expect(sent).toBeGreaterThanOrEqual(100);
    expect(sent).toBeLessThanOrEqual(101 + (performance.now() - startedAt) / 10_000);
    const refused = results.filter((result) => result === '#refused=too_many').length;
    expect(refused).toBe(150 - sent);
    expect(await failuresFrom(ip)).toEqual({ 'invalid-token': sent, 'too-many-attempts': refused });
  });

  test('has at most 15 requests open at a slow provider, from however many networks', async () => {
    const ipOf = (n: number) => `198.51.100.${n}`;
    const begun = await times(200, (n) => begin(ipOf(n)));
    provider.stall();
    provider.tokenRequests.mostOpen = 0;
    let firstRefused = () => {};
    const isFull = new Promise<void>((resolve) => (firstRefused = resolve));
    const all = times(200, async (n) => {
      const result = await comeBack(begun[n]!, ipOf(n));
      if (result === '#refused=too_many') firstRefused();
      return result;
    });
    await Promise.race([isFull, all]);
    provider.resume();
    const results = await all;
    expect(provider.tokenRequests.mostOpen).toBeLessThanOrEqual(15);
    expect(results).toContain('#refused=too_many');
    expect(results).toContain('#refused=failed');
  });

  test('has nothing written by sign-ins that do not come back', async () => {
    const written = () =>
      sql<{ writes: number }>(
        service.databaseUrl,
        `SELECT (SELECT count(*) FROM audit_events)::integer + (SELECT count(*) FROM spent_sign_ins)::integer AS writes`,
      );
    const before = await written();
    await times(20, () => begin('192.0.2.12'));
    expect(await written()).toEqual(before);
  });
});
