import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlatformTokens } from '#application/ports.js';
import type { PlatformSignIn } from '#domain/accounts/session.js';
import { HOUR_MS } from '#domain/time.js';
import { JwksPlatformTokens } from '#infrastructure/outbound/platform-login/jwks-platform-tokens.js';
import { FakePlatformTokens } from '../fakes/sessions/fake-platform-tokens.js';
import { SILENT } from '../support/reading/kept-log.js';
import { AUDIENCE, ISSUER, sign, startPlatformLogin } from '../support/platform/platform-login.js';

interface Login {
  readonly tokens: PlatformTokens;
  issue(accountId: string, expiresAt: Date, signIn?: Partial<PlatformSignIn>): Promise<string> | string;
  /** From now on the login is unavailable. */
  goAway(): Promise<void> | void;
  stop(): Promise<void> | void;
}

function openFakeLogin(): Login {
  const tokens = new FakePlatformTokens();
  const goAway = () => void (tokens.isAway = true);
  return { tokens, issue: (...call) => tokens.issue(...call), goAway, stop: () => {} };
}

async function openRealLogin(): Promise<Login> {
  const login = await startPlatformLogin();
  const issue = (sub: string, expiresAt: Date, { authenticatedAt, acr }: Partial<PlatformSignIn> = {}) => {
    const exp = Math.floor(expiresAt.getTime() / 1000);
    const authTime = authenticatedAt && { auth_time: authenticatedAt.getTime() / 1000 };
    return sign({ sub, exp, acr, ...authTime }, { alg: 'ES256', kid: 'ES256' }, login.privateKey('ES256'));
  };
  const tokens = new JwksPlatformTokens({ jwksUrl: login.jwksUrl, issuer: ISSUER, audience: AUDIENCE }, SILENT);
  return { tokens, issue, goAway: login.stop, stop: login.stop };
}

describe.each<[string, () => Login | Promise<Login>]>([
  ['in memory', openFakeLogin],
  ['of a login with public keys', openRealLogin],
])('PlatformTokens %s', (_name, open) => {
  let login: Login;
  beforeAll(async () => {
    login = await open();
  });
  afterAll(() => login?.stop());

  const inMs = (ms: number) => new Date(Math.ceil((Date.now() + ms) / 1000) * 1000);

  test('are unavailable, not refused, while the login is away and its keys are unknown', async () => {
    const away = await open();
    const jwt = await away.issue('u1', inMs(HOUR_MS));
    await away.goAway();
    await expect(away.tokens.verify(jwt)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('name their account until they expire', async () => {
    const expiresAt = inMs(HOUR_MS);
    expect(await login.tokens.verify(await login.issue('auth0|abc', expiresAt))).toEqual({
      accountId: 'auth0|abc',
      expiresAt,
      signIn: { authenticatedAt: undefined, acr: undefined },
    });
    const expired = await login.tokens.verify(await login.issue('auth0|abc', inMs(-2000)));
    expect(expired).toEqual({ refusal: 'the token has expired' });
  });

  test('have the time and strength of the sign-in', async () => {
    const signIn = { authenticatedAt: inMs(-HOUR_MS), acr: 'urn:example:gold' };
    const jwt = await login.issue('u1', inMs(HOUR_MS), signIn);
    expect(await login.tokens.verify(jwt)).toMatchObject({ signIn });
  });

  test('are refused when another login issued them', async () => {
    const jwt = await login.issue('u1', inMs(HOUR_MS));
    for (const made of ['', 'lk_abc.def', `${jwt}x`]) {
      expect(await login.tokens.verify(made)).toEqual({ refusal: expect.any(String) });
    }
  });
});
