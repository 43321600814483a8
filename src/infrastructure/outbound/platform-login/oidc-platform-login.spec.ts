import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOpenIdProvider, type OpenIdProvider } from '../../../../test/support/platform/openid-provider.js';
import { HttpBrowser } from '../../../../test/support/callers/http-browser.js';
import { OidcPlatformLogin } from './oidc-platform-login.js';

const REDIRECT = 'http://127.0.0.1:1/callback';
const SIGNED_OUT = 'http://127.0.0.1:1/settings/api-keys';
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
        endsProviderSession: false,
        ...part,
      },
      REDIRECT,
      SIGNED_OUT,
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

  test('has a URL to sign out at, by the id of the client, where that is on and the provider offers it', async () => {
    expect(await login.signOutUrl()).toBeUndefined();
    const url = new URL((await loginWith({ endsProviderSession: true }).signOutUrl())!);
    expect([url.origin, Object.fromEntries(url.searchParams)]).toEqual([
      provider.issuer,
      { client_id: provider.env.OIDC_CLIENT_ID, post_logout_redirect_uri: SIGNED_OUT },
    ]);
    // The provider compares both with what is registered there.
    expect((await fetch(url)).status).toBe(200);
    url.searchParams.set('post_logout_redirect_uri', 'https://evil.example.org');
    expect((await fetch(url)).status).toBe(400);
  });

  test.each([
    ['secret', { clientSecret: 'another secret of 32 characters and more' }],
    ['id', { clientId: 'another' }],
  ])('is misconfigured when the provider refuses the client’s %s', async (_what, wrong) => {
    const { answer, begun } = await signIn('u1');
    await expect(loginWith(wrong).finish(answer, begun, STRANGER)).rejects.toMatchObject({
      ...REFUSED,
      details: { signInFailure: 'misconfigured' },
      cause: { message: 'the provider refused OIDC_CLIENT_ID or OIDC_CLIENT_SECRET' },
    });
  });

  test('is cancelled only when the provider says that the person declined', async () => {
    const { begun } = await login.begin(undefined);
    const failureOf = async (error: string) => {
      const answer = `?${new URLSearchParams({ error, state: begun.state, iss: provider.issuer })}`;
      return login.finish(answer, begun, STRANGER).catch(({ details }: { details: object }) => details);
    };
    expect(await failureOf('access_denied')).toEqual({ signInFailure: 'cancelled' });
    expect(await failureOf('invalid_client')).toEqual({});
  });

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
