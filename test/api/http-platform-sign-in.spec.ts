import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { startOpenIdProvider, type OpenIdProvider } from '../support/openid-provider.js';
import { startService, type Service } from '../support/service.js';
import { sql } from '../support/sql.js';
import { Wanderer } from '../support/wanderer.js';

const SESSION = 'latchkey_session';
const UNDER_WAY = 'latchkey_sign_in';
const ORDER = { name: 'CI', access: 'read-only', expiresInDays: 1 };

describe('signing in at an OpenID provider', () => {
  let provider: OpenIdProvider;
  let service: Service;
  let page: string;
  beforeAll(async () => {
    const HTTP_PORT = String(await freePort());
    provider = await startOpenIdProvider(`http://127.0.0.1:${HTTP_PORT}/v1/session/oidc/callback`);
    service = await startService({ HTTP_PORT, ...provider.env, CONFIRMATION_ACR_VALUES: 'gold' });
    page = `${service.url}/settings/api-keys`;
  });
  afterAll(async () => {
    await service?.stop();
    await provider?.stop();
  });
  afterEach(() => {
    provider.comeBack();
    provider.seat(undefined);
  });

  const newOwner = async () => {
    const id = `auth0|${randomUUID()}`;
    await service.clients.putAccount({ id, email: `${randomUUID()}@example.com` });
    return id;
  };
  const begin = (purpose = 'sign-in') => `${service.url}/v1/session/oidc?purpose=${purpose}`;
  const session = (browser: Wanderer) => browser.person(service.url).call('GET', '/v1/session');
  const create = (browser: Wanderer) => browser.person(service.url).call('POST', '/v1/api-keys', ORDER);
  /** Goes as far as the callback, and not there. */
  const upToCallback = async (browser: Wanderer, purpose?: string) =>
    browser.visit(begin(purpose), '/v1/session/oidc/callback');
  const signedIn = async (accountId: string) => {
    const browser = new Wanderer();
    provider.seat({ accountId, acr: 'gold' });
    expect(await browser.visit(begin())).toBe(`${page}#signed-in`);
    return browser;
  };
  const nobody = async (browser: Wanderer) => {
    expect(browser.cookies(service.url).has(SESSION)).toBe(false);
    expect((await session(browser)).status).toBe(401);
  };

  test('opens a session of the account that the provider names, without a password', async () => {
    const id = await newOwner();
    const { status, body } = await session(await signedIn(id));
    expect([status, body.ownerId, body.confirmation]).toEqual([200, id, 'fresh-sign-in']);
  });

  test('asks with PKCE, state and nonce, and leaves nothing of them in the cookie to read', async () => {
    const browser = new Wanderer();
    const asked = (await browser.go(new URL(begin('confirmation'))))!;
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
    const kept = Buffer.from(browser.cookies(service.url).get(UNDER_WAY)!, 'base64').toString('latin1');
    for (const secret of ['state', 'nonce', 'code_challenge']) {
      expect(query[secret]!.length).toBeGreaterThan(40);
      expect(kept).not.toContain(query[secret]);
    }
    const plain = (await browser.go(new URL(begin())))!.searchParams;
    expect([plain.get('max_age'), plain.get('acr_values')]).toEqual([null, null]);
    expect(plain.get('state')).not.toBe(query['state']);
  });

  test('keeps what is under way for ten minutes, Lax and out of reach of scripts', async () => {
    const response = await fetch(begin(), { redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [line] = response.headers.getSetCookie();
    expect(line).toMatch(/^latchkey_sign_in=[\w.-]+; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/);
  });

  test('is always a new session, and ends the one that the browser had', async () => {
    const id = await newOwner();
    const browser = await signedIn(id);
    const earlier = browser.cookies(service.url).get(SESSION)!;
    expect(await browser.visit(begin())).toBe(`${page}#signed-in`);
    expect(browser.cookies(service.url).get(SESSION)).not.toBe(earlier);
    const old = new Wanderer();
    old.cookies(service.url).set(SESSION, earlier);
    expect((await session(old)).status).toBe(401);
    expect((await session(browser)).status).toBe(200);
  });

  describe('confirms the creation of a key', () => {
    const stepUp = async (browser: Wanderer, accountId: string, how: object = { acr: 'gold' }) => {
      provider.seat({ accountId, ...how });
      return browser.visit(begin('confirmation'));
    };

    test('by a sign-in afresh, strong enough: 201, and again', async () => {
      const id = await newOwner();
      const browser = await signedIn(id);
      expect((await create(browser)).body.code).toBe('confirmation_required');
      expect(await stepUp(browser, id)).toBe(`${page}#signed-in`);
      expect((await create(browser)).status).toBe(201);
      expect((await create(browser)).status).toBe(201);
    });

    test('not by a session whose provider did not say when: auth_time is missing', async () => {
      const id = await newOwner();
      // Without max_age, this provider leaves it out.
      const browser = await signedIn(id);
      const { status, headers } = await create(browser);
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="insufficient_user_authentication", max_age="300", acr_values="gold"',
      ]);
    });

    test('not where the provider answers an older auth_time than it was asked for', async () => {
      const id = await newOwner();
      const browser = new Wanderer();
      const authTime = Math.floor(Date.now() / 1000) - 400;
      expect(await stepUp(browser, id, { acr: 'gold', authTime })).toBe(`${page}#signed-in`);
      expect([(await session(browser)).status, (await create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test.each([
      ['missing', {}],
      ['another', { acr: 'silver' }],
    ])('not where acr is %s', async (_what, how) => {
      const id = await newOwner();
      const browser = new Wanderer();
      expect(await stepUp(browser, id, how)).toBe(`${page}#signed-in`);
      expect([(await session(browser)).status, (await create(browser)).body.code]).toEqual([
        200,
        'confirmation_required',
      ]);
    });

    test('of the person who asked: another one is signed in, and the page is told', async () => {
      const [one, two] = [await newOwner(), await newOwner()];
      const browser = await signedIn(one);
      const earlier = browser.cookies(service.url).get(SESSION)!;
      browser.cookies(provider.issuer).clear();
      expect(await stepUp(browser, two)).toBe(`${page}#signed-in=another`);
      expect((await session(browser)).body.ownerId).toBe(two);
      const old = new Wanderer();
      old.cookies(service.url).set(SESSION, earlier);
      expect((await session(old)).status).toBe(401);
    });
  });

  describe('opens no session', () => {
    test('for an answer that is used a second time', async () => {
      provider.seat({ accountId: await newOwner() });
      const browser = new Wanderer();
      const callback = await upToCallback(browser);
      const kept = browser.cookies(service.url).get(UNDER_WAY)!;
      expect(await browser.visit(callback)).toBe(`${page}#signed-in`);
      expect(browser.cookies(service.url).has(UNDER_WAY)).toBe(false);
      browser.cookies(service.url).delete(SESSION);
      expect(await browser.visit(callback)).toBe(`${page}#refused=expired`);
      // Even with a copy of the cookie: the provider takes its code back once.
      browser.cookies(service.url).set(UNDER_WAY, kept);
      expect(await browser.visit(callback)).toBe(`${page}#refused=failed`);
      await nobody(browser);
    });

    test('for an answer to an earlier question: its state is another', async () => {
      provider.seat({ accountId: await newOwner() });
      const browser = new Wanderer();
      const earlier = await upToCallback(browser);
      const later = await upToCallback(browser);
      const replayed = new URL(later);
      replayed.searchParams.set('state', new URL(earlier).searchParams.get('state')!);
      for (const callback of [earlier, replayed.href]) {
        const visitor = new Wanderer();
        visitor.cookies(service.url).set(UNDER_WAY, browser.cookies(service.url).get(UNDER_WAY)!);
        expect(await visitor.visit(callback)).toBe(`${page}#refused=failed`);
        await nobody(visitor);
      }
    });

    test('for a callback that is opened in another browser', async () => {
      provider.seat({ accountId: await newOwner() });
      const callback = await upToCallback(new Wanderer());
      const stranger = new Wanderer();
      expect(await stranger.visit(callback)).toBe(`${page}#refused=expired`);
      const other = new Wanderer();
      await upToCallback(other);
      expect(await other.visit(callback)).toBe(`${page}#refused=failed`);
      await nobody(stranger);
      await nobody(other);
    });

    test.each([
      ['made up', 'x.y.z.a.b'],
      ['empty', ''],
      ['plain', Buffer.from('{"underWay":{"state":"s"}}').toString('base64url')],
    ])('where what was under way is %s', async (_what, value) => {
      const browser = new Wanderer();
      provider.seat({ accountId: await newOwner() });
      const callback = await upToCallback(new Wanderer());
      browser.cookies(service.url).set(UNDER_WAY, value);
      expect(await browser.visit(callback)).toBe(`${page}#refused=expired`);
      await nobody(browser);
    });

    test.each([
      ['wrong', 'https://evil.example.org'],
      ['left out', undefined],
    ])('where iss of the answer is %s (RFC 9207)', async (_what, iss) => {
      provider.seat({ accountId: await newOwner() });
      const browser = new Wanderer();
      const callback = new URL(await upToCallback(browser));
      expect(callback.searchParams.get('iss')).toBe(provider.issuer);
      if (iss) callback.searchParams.set('iss', iss);
      else callback.searchParams.delete('iss');
      expect(await browser.visit(callback.href)).toBe(`${page}#refused=failed`);
      await nobody(browser);
    });

    test('where the person or the provider declines', async () => {
      const browser = new Wanderer();
      const asked = (await browser.go(new URL(begin())))!;
      const answer = { error: 'access_denied', state: asked.searchParams.get('state')!, iss: provider.issuer };
      const callback = `${service.url}/v1/session/oidc/callback?${new URLSearchParams(answer)}`;
      expect(await browser.visit(callback)).toBe(`${page}#refused=failed`);
      await nobody(browser);
    });

    test('while the provider is away, and says so; when it is back, it does', async () => {
      const id = await newOwner();
      const browser = new Wanderer();
      provider.seat({ accountId: id });
      const callback = await upToCallback(browser);
      provider.goAway();
      expect(await browser.visit(callback)).toBe(`${page}#refused=unavailable`);
      await nobody(browser);
      provider.comeBack();
      expect(await browser.visit(begin())).toBe(`${page}#signed-in`);
    });

    test('where a fresh instance finds the provider away, which asks it again next time', async () => {
      provider.goAway();
      const fresh = await startService({ ...provider.env, DATABASE_URL: service.databaseUrl, PUBLIC_URL: service.url });
      try {
        const ask = async () => {
          const { headers } = await fetch(`${fresh.url}/v1/session/oidc`, { redirect: 'manual' });
          return headers.get('location')!;
        };
        expect(await ask()).toBe(`${page}#refused=unavailable`);
        provider.comeBack();
        expect(await ask()).toMatch(new RegExp(`^${provider.issuer}/auth`));
      } finally {
        await fresh.stop();
      }
    });

    test.each(['no_account', 'suspended', 'deleted'] as const)(
      'for a person who is %s, and records it',
      async (what) => {
        const id = what === 'no_account' ? `auth0|${randomUUID()}` : await newOwner();
        if (what === 'suspended') await service.clients.account('SuspendAccount', id);
        if (what === 'deleted') await service.clients.account('DeleteAccount', id);
        provider.seat({ accountId: id });
        const browser = new Wanderer();
        expect(await browser.visit(begin())).toBe(`${page}#refused=${what}`);
        await nobody(browser);
        const [event] = await sql<{ reason: string; owner_id: string | null }>(
          service.databaseUrl,
          `SELECT reason, owner_id FROM audit_events WHERE type = 'authentication.failed' ORDER BY id DESC LIMIT 1`,
        );
        const reasons = { no_account: 'invalid-token', suspended: 'owner-suspended', deleted: 'owner-deleted' };
        expect(event).toEqual({ reason: reasons[what], owner_id: what === 'no_account' ? null : id });
      },
    );
  });

  test('goes on when the provider signs with other keys', async () => {
    const id = await newOwner();
    await signedIn(id);
    await provider.rotateKeys();
    expect((await session(await signedIn(id))).body.ownerId).toBe(id);
  });

  test('begins at one instance and ends at another', async () => {
    provider.seat({ accountId: await newOwner() });
    const other = await startService({ ...provider.env, DATABASE_URL: service.databaseUrl, PUBLIC_URL: service.url });
    try {
      const browser = new Wanderer();
      const callback = await upToCallback(browser);
      const elsewhere = callback.replace(service.url, other.url);
      browser.cookies(other.url).set(UNDER_WAY, browser.cookies(service.url).get(UNDER_WAY)!);
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
    const HTTP_PORT = new URL(service.url).port;
    const env = { ...provider.env, OIDC_ACCOUNT_CLAIM: 'email', DATABASE_URL: service.databaseUrl };
    const byEmail = await startService({ ...env, PUBLIC_URL: `http://127.0.0.1:${HTTP_PORT}` });
    try {
      for (const [id, landing] of [
        [`${randomUUID()}@example.com`, 'signed-in'],
        [`unverified-${randomUUID()}@example.com`, 'refused=no_account'],
      ] as const) {
        await service.clients.putAccount({ id, email: id });
        provider.seat({ accountId: id });
        const browser = new Wanderer();
        const callback = await upToCallback(browser);
        browser.cookies(byEmail.url).set(UNDER_WAY, browser.cookies(service.url).get(UNDER_WAY)!);
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
