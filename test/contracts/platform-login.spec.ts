import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BegunSignIn, PlatformLogin, PlatformTokens } from '#application/sign-in-ports.js';
import { OidcPlatformLogin } from '#infrastructure/outbound/platform-login/oidc-platform-login.js';
import type { PlatformSignIn } from '#domain/accounts/session.js';
import { HOUR_MS } from '#domain/time.js';
import { JwksPlatformTokens } from '#infrastructure/outbound/platform-login/jwks-platform-tokens.js';
import { FakePlatformLogin, FakePlatformTokens, ISSUER as FAKE_ISSUER } from '../fakes/fake-platform-login.js';
import { CLIENT, startOpenIdProvider } from '../support/platform/openid-provider.js';
import { SILENT } from '../support/reading/kept-log.js';
import { HttpBrowser } from '../support/callers/http-browser.js';
import { AUDIENCE, ISSUER, startPlatformLogin } from '../support/platform/platform-login.js';

interface Opened {
  readonly login: PlatformLogin;
  /** The query of a person who comes back after the sign-in that was begun. */
  answer(url: string, begun: BegunSignIn, accountId: string): Promise<string>;
  setAway(isAway: boolean): void;
  stop(): Promise<void>;
}

async function openFakeLogin(): Promise<Opened> {
  const login = new FakePlatformLogin();
  const answer = async (_url: string, begun: BegunSignIn, accountId: string) =>
    login.answer(begun, { accountId, signIn: { authenticatedAt: new Date(), acr: undefined } });
  return { login, answer, setAway: (isAway) => void (login.isAway = isAway), stop: async () => {} };
}

async function openProvider(): Promise<Opened> {
  const redirect = 'http://127.0.0.1:1/callback';
  const provider = await startOpenIdProvider(redirect);
  const [clientId, clientSecret] = [CLIENT.id, CLIENT.secret];
  const settings = {
    issuer: provider.issuer,
    clientId,
    clientSecret,
    scopes: 'openid',
    accountClaim: 'sub',
    endsProviderSession: true,
    profile: undefined,
  };
  const answer = async (url: string, _begun: BegunSignIn, accountId: string) => {
    provider.setVisitor({ accountId });
    return new URL(await new HttpBrowser().visit(url, '/callback')).search;
  };
  const setAway = (isAway: boolean) => (isAway ? provider.goAway() : provider.comeBack());
  return {
    login: new OidcPlatformLogin(
      settings,
      { redirectUri: redirect, signedOutUri: 'http://127.0.0.1:1/settings' },
      SILENT,
    ),
    answer,
    setAway,
    stop: provider.stop,
  };
}

const REFUSED = { code: 'invalid_credentials' };
const STRANGER = { name: '192.0.2.1', isKnown: false };

describe.each<[string, () => Promise<Opened>]>([
  ['in memory', openFakeLogin],
  ['of an OpenID provider', openProvider],
])('PlatformLogin %s', (_name, open) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.stop());

  const comeBack = async (accountId: string) => {
    const { url, begun } = await opened.login.begin({ maxAgeSeconds: 300, acrValues: [] });
    return { begun, answer: await opened.answer(url, begun, accountId) };
  };

  test('returns the person who came back, and when they signed in', async () => {
    const { answer, begun } = await comeBack('auth0|abc');
    const { accountId, signIn } = await opened.login.finish(answer, begun, STRANGER);
    expect(accountId).toBe('auth0|abc');
    expect(Math.abs(Date.now() - signIn.authenticatedAt!.getTime())).toBeLessThan(60_000);
  });

  test.each(['state', 'nonce', 'codeVerifier'] as const)('refuses an answer under another %s', async (part) => {
    const { answer, begun } = await comeBack('u1');
    const other = (await opened.login.begin(undefined)).begun;
    await expect(opened.login.finish(answer, { ...begun, [part]: other[part] }, STRANGER)).rejects.toMatchObject(
      REFUSED,
    );
  });

  test('refuses an answer that was used or made up', async () => {
    const { answer, begun } = await comeBack('u1');
    await opened.login.finish(answer, begun, STRANGER);
    await expect(opened.login.finish(answer, begun, STRANGER)).rejects.toMatchObject(REFUSED);
    await expect(opened.login.finish('?code=x', begun, STRANGER)).rejects.toMatchObject(REFUSED);
  });

  test('has room for a stranger while nobody else waits', () => {
    expect(() => opened.login.requireRoom(STRANGER)).not.toThrow();
  });

  test('is unavailable only while the platform is away', async () => {
    const { answer, begun } = await comeBack('u1');
    opened.setAway(true);
    await expect(opened.login.finish(answer, begun, STRANGER)).rejects.toMatchObject({ code: 'unavailable' });
    opened.setAway(false);
    const again = await comeBack('u1');
    expect((await opened.login.finish(again.answer, again.begun, STRANGER)).accountId).toBe('u1');
  });
});

interface Login {
  readonly tokens: PlatformTokens;
  readonly issuer: string;
  issue(accountId: string, expiresAt: Date, signIn?: Partial<PlatformSignIn>): Promise<string> | string;
  /** From now on the login is unavailable. */
  goAway(): Promise<void> | void;
  stop(): Promise<void> | void;
}

function openFakeTokens(): Login {
  const tokens = new FakePlatformTokens();
  const goAway = () => void (tokens.isAway = true);
  return { tokens, issuer: FAKE_ISSUER, issue: (...call) => tokens.issue(...call), goAway, stop: () => {} };
}

async function openRealLogin(): Promise<Login> {
  const login = await startPlatformLogin();
  const issue = (sub: string, expiresAt: Date, { authenticatedAt, acr }: Partial<PlatformSignIn> = {}) => {
    const exp = Math.floor(expiresAt.getTime() / 1000);
    const authTime = authenticatedAt && { auth_time: authenticatedAt.getTime() / 1000 };
    return login.token({ sub, exp, acr, ...authTime });
  };
  const tokens = new JwksPlatformTokens({ jwksUrl: login.jwksUrl, issuer: ISSUER, audience: AUDIENCE }, SILENT);
  return { tokens, issuer: ISSUER, issue, goAway: login.stop, stop: login.stop };
}

describe.each<[string, () => Login | Promise<Login>]>([
  ['in memory', openFakeTokens],
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

  test('name their account and their issuer until they expire', async () => {
    const expiresAt = inMs(HOUR_MS);
    expect(await login.tokens.verify(await login.issue('auth0|abc', expiresAt))).toEqual({
      accountId: 'auth0|abc',
      issuer: login.issuer,
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
