import { hkdfSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { HttpBrowser } from '../support/callers/http-browser.js';
import { CLIENT } from '../support/platform/openid-provider.js';
import { PlatformService, SIGN_IN_COOKIE } from '../support/platform/platform-service.js';
import type { Service } from '../support/processes/service.js';

/** How the first releases made the key of the cookie. */
const keyFrom = (clientSecret: string) =>
  new Uint8Array(hkdfSync('sha256', clientSecret, '', 'latchkey sign-in cookie', 32));

describe('The cookie of a pending sign-in, which any stranger gets', () => {
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
