import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOpenIdProvider, type OpenIdProvider } from '../../../../test/support/platform/openid-provider.js';
import { HttpBrowser } from '../../../../test/support/callers/http-browser.js';
import { OidcPlatformLogin } from './oidc-platform-login.js';

const REDIRECT = 'http://127.0.0.1:1/callback';
const REFUSED = { code: 'invalid_credentials' };
const STRANGER = { name: '192.0.2.1', isKnown: false };
const AWAY = { code: 'unavailable' };

describe('a sign-in at an OpenID provider', () => {
  let provider: OpenIdProvider;
  let login: OidcPlatformLogin;
  const loginWith = (part: object = {}) =>
    new OidcPlatformLogin(
      {
        issuer: provider.issuer,
        clientId: provider.env.OIDC_CLIENT_ID,
        clientSecret: provider.env.OIDC_CLIENT_SECRET,
        scopes: 'openid email',
        accountClaim: 'sub',
        ...part,
      },
      REDIRECT,
    );
  beforeAll(async () => {
    provider = await startOpenIdProvider(REDIRECT);
    login = loginWith();
  });
  afterAll(() => provider?.stop());

  const signIn = async (accountId: string, at = login) => {
    provider.setVisitor({ accountId });
    const { url, begun } = await at.begin({ maxAgeSeconds: 300, acrValues: [] });
    const answer = new URL(await new HttpBrowser().visit(url, '/callback')).search;
    return { answer, begun };
  };

  test('returns the account id and the time of the sign-in', async () => {
    const { answer, begun } = await signIn('auth0|abc');
    const { accountId, signIn: how } = await login.finish(answer, begun, STRANGER);
    expect(accountId).toBe('auth0|abc');
    expect(Math.abs(Date.now() - how.authenticatedAt!.getTime())).toBeLessThan(60_000);
    expect(how.acr).toBeUndefined();
  });

  test('returns no account id if the subject is not a valid one', async () => {
    const { answer, begun } = await signIn('a b');
    expect((await login.finish(answer, begun, STRANGER)).accountId).toBeUndefined();
  });

  test('is refused with a wrong client secret', async () => {
    const stranger = loginWith({ clientSecret: 'another' });
    const { answer, begun } = await signIn('u1', stranger);
    await expect(stranger.finish(answer, begun, STRANGER)).rejects.toMatchObject(REFUSED);
  });

  test('is refused if the ID token is not signed with a published key', async () => {
    const { answer, begun } = await signIn('u1');
    await provider.showOtherKeys();
    await expect(login.finish(answer, begun, STRANGER)).rejects.toMatchObject(REFUSED);
    provider.showOwnKeys();
    const again = await signIn('u1');
    expect((await login.finish(again.answer, again.begun, STRANGER)).accountId).toBe('u1');
  });

  test('fails with a cause that contains no token', async () => {
    const { answer, begun } = await signIn('u1');
    await login.finish(answer, begun, STRANGER);
    const error = await login.finish(answer, begun, STRANGER).catch((failure: Error) => failure);
    expect((error as Error).cause).toEqual(new Error('OAUTH_RESPONSE_BODY_ERROR: invalid_grant'));
  });

  test('is unavailable for all callers while the provider is down, and works right after', async () => {
    const fresh = loginWith();
    provider.goAway();
    await Promise.all([1, 2].map(() => expect(fresh.begin(undefined)).rejects.toMatchObject(AWAY)));
    provider.comeBack();
    expect((await fresh.begin(undefined)).url).toMatch(provider.issuer);
  });

  test('is unavailable if another issuer answers', async () => {
    const elsewhere = loginWith({ issuer: provider.issuer.replace('127.0.0.1', 'localhost') });
    await expect(elsewhere.begin(undefined)).rejects.toMatchObject(AWAY);
  });
});
