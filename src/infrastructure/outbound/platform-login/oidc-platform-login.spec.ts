import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOpenIdProvider, type OpenIdProvider, type Visitor } from '#test/support/platform/openid-provider.js';
import { eventually } from '#test/support/eventually.js';
import { keptLog, SILENT } from '#test/support/reading/kept-log.js';
import { HttpBrowser } from '#test/support/callers/http-browser.js';
import { OidcPlatformLogin } from './oidc-platform-login.js';

const REDIRECT = 'http://127.0.0.1:1/callback';
const SIGNED_OUT = 'http://127.0.0.1:1/settings/api-keys';
const REFUSED = { code: 'invalid_credentials' };
const STRANGER = { name: '192.0.2.1', isKnown: false };
const AWAY = { code: 'unavailable' };
const WARN = 40;
const json = (value: unknown) => (response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

describe('a sign-in at an OpenID provider', () => {
  let provider: OpenIdProvider;
  let login: OidcPlatformLogin;
  const loginWith = (part: object = {}, log = SILENT) =>
    new OidcPlatformLogin(
      {
        issuer: provider.issuer,
        clientId: provider.env.OIDC_CLIENT_ID,
        clientSecret: provider.env.OIDC_CLIENT_SECRET,
        scopes: 'openid email',
        accountClaim: 'sub',
        endsProviderSession: false,
        profile: undefined,
        ...part,
      },
      { redirectUri: REDIRECT, signedOutUri: SIGNED_OUT },
      log,
    );
  beforeAll(async () => {
    provider = await startOpenIdProvider(REDIRECT);
    login = loginWith();
  });
  afterAll(() => provider?.stop());

  const signIn = async (accountId: string, at = login, claims: Partial<Visitor> = {}) => {
    provider.setVisitor({ accountId, ...claims });
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

  test.each<[string, object | undefined, string[]]>([
    ['of the ID token', { roles: ['viewer'], more: {} }, ['viewer']],
    ['of UserInfo, if the ID token has only a part of the claim', { more: {} }, ['editor']],
    ['of UserInfo, if the ID token has no such claim', undefined, ['editor']],
  ])('returns the roles %s', async (_, inIdToken, roles) => {
    const keeping = loginWith({ profile: { rolesClaim: '/realm_access/roles' } });
    const { answer, begun } = await signIn('u1', keeping, {
      claims: { realm_access: { roles: ['editor'] } },
      ...(inIdToken && { idTokenClaims: { realm_access: inIdToken } }),
    });
    expect((await keeping.finish(answer, begun, STRANGER)).profile?.roles).toEqual(roles);
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

  const AWAY_LINE = 'The platform login (OIDC_ISSUER) is away: people cannot sign in until it answers as it should';

  test('is tried once at the start, and a provider that does not answer is one warning until it is back', async () => {
    const { log, entries } = keptLog();
    const fresh = loginWith({}, log);
    provider.goAway();
    await fresh.open();
    await eventually(async () => entries.length > 0);
    await expect(fresh.begin(undefined)).rejects.toMatchObject(AWAY);
    await expect(fresh.begin(undefined)).rejects.toMatchObject(AWAY);
    const [warning, ...others] = entries;
    expect(warning).toMatchObject({
      level: WARN,
      msg: expect.stringContaining(AWAY_LINE),
      tried: `${provider.issuer}/.well-known/openid-configuration`,
      reason: expect.stringMatching(/fetch failed: other side closed$/),
    });
    expect(others).toEqual([]);
    provider.comeBack();
    await fresh.begin(undefined);
    expect(entries.slice(1)).toMatchObject([{ msg: 'The platform login (OIDC_ISSUER) is back: people can sign in' }]);
  });

  test('is not waited for at the start', async () => {
    provider.stallMetadata();
    const fresh = loginWith();
    await fresh.open();
    provider.resume();
    expect((await fresh.begin(undefined)).url).toMatch(provider.issuer);
  });

  test.each<[string, (response: ServerResponse) => void, unknown]>([
    [
      'another issuer',
      json({ issuer: 'https://other.example/' }),
      'it is the issuer "https://other.example/": set OIDC_ISSUER to exactly that, if it is yours',
    ],
    ['a list', json([1]), expect.stringMatching(/ body must be a top level object$/)],
    [
      'a page',
      (response) => response.setHeader('content-type', 'text/html').end('<p>'),
      'it answered with something else than JSON',
    ],
    ['404', (response) => response.writeHead(404).end(), 'it answered with the status 404'],
  ])('is unavailable if the issuer answers with %s, and the warning says so', async (_what, answer, reason) => {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { log, entries } = keptLog();
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
      await expect(loginWith({ issuer }, log).begin(undefined)).rejects.toMatchObject(AWAY);
      expect(entries).toMatchObject([
        { msg: expect.stringContaining(AWAY_LINE), tried: `${issuer}/.well-known/openid-configuration`, reason },
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('signs people out here alone while the provider does not answer, which is a warning', async () => {
    const { log, entries } = keptLog();
    const fresh = loginWith({ endsProviderSession: true }, log);
    provider.goAway();
    expect(await fresh.signOutUrl()).toBeUndefined();
    expect(await fresh.signOutUrl()).toBeUndefined();
    provider.comeBack();
    expect(entries.map(({ level, msg }) => [level, msg])).toEqual([
      [WARN, expect.stringContaining(AWAY_LINE)],
      ...[1, 2].map(() => [WARN, 'signed out here only (OIDC_SIGN_OUT): the session at the platform stays open']),
    ]);
    expect(entries[1]).toMatchObject({ reason: expect.stringMatching(/fetch failed: other side closed$/) });
  });
});
