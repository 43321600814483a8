import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import { serve } from './http-server.js';

export const CLIENT = { id: 'latchkey', secret: 'a secret of 32 characters and more' };

/** The person at the provider, and how they sign in. */
export interface Visitor {
  readonly accountId: string;
  /** The time of the sign-in, if it is not now. */
  readonly authTime?: number;
  readonly acr?: string;
  /** More claims, of UserInfo. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** More claims, of the ID token. */
  readonly idTokenClaims?: Readonly<Record<string, unknown>>;
}

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>;

/**
 * A real OpenID provider. The current visitor signs in when a sign-in is needed; without a visitor, the provider shows
 * a form.
 * @param redirectUri where its one client has people sent back
 * @param host the name of the provider's address. To browsers, localhost is another site than 127.0.0.1
 */
export async function startOpenIdProvider(redirectUri: string, host = '127.0.0.1') {
  let visitor: Visitor | undefined;
  let isAway = false;
  let shownKeys: object | undefined;
  let provider: Provider;
  /** What waits for `resume`. */
  let stalled = { paths: /^$/, over: Promise.resolve(), end: () => {} };
  const stall = (paths = /^\/token$/) => {
    let end = () => {};
    stalled = { paths, over: new Promise((resolve) => (end = resolve)), end };
  };
  const tokenRequests = { seen: 0, open: 0, mostOpen: 0 };
  const { url: issuer, stop } = await serve(async (request, response) => {
    const path = request.url!;
    if (isAway) return response.destroy();
    if (path === '/token') {
      tokenRequests.seen += 1;
      tokenRequests.open += 1;
      tokenRequests.mostOpen = Math.max(tokenRequests.mostOpen, tokenRequests.open);
      response.once('close', () => (tokenRequests.open -= 1));
    }
    if (stalled.paths.test(path)) await stalled.over;
    if (shownKeys && path === '/jwks') return response.end(JSON.stringify(shownKeys));
    return path.startsWith('/interaction/')
      ? interact(provider, request, response, visitor)
      : provider.callback()(request, response);
  }, host);

  // The library prints advice for production.
  const advice = (['warn', 'info'] as const).map((level) => jest.spyOn(console, level).mockImplementation(() => {}));
  const oidc = await import('oidc-provider');
  const begin = async () => {
    const policy = oidc.interactionPolicy.base();
    policy.add(new oidc.interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
    provider = new oidc.Provider(issuer, await configuration(redirectUri, policy, () => visitor));
  };
  await begin();
  return {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    /** From now on, this person signs in whenever a sign-in is needed. */
    setVisitor: (next: Visitor | undefined) => void (visitor = next),
    /** Signs with other keys from now on. */
    rotateKeys: begin,
    /** Makes its signatures invalid: from now on it publishes other keys, under the names of those that it signs with. */
    showOtherKeys: async () => {
      const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: { kid: string; alg: string }[] };
      const other = await exportJWK((await generateKeyPair('RS256')).publicKey);
      shownKeys = { keys: keys.map(({ kid, alg }) => ({ ...other, kid, alg, use: 'sig' })) };
    },
    showOwnKeys: () => void (shownKeys = undefined),
    /** The requests for tokens, each with our credentials. */
    tokenRequests,
    /** Answers no request for tokens until `resume`. */
    stall: () => stall(),
    /** The same for its metadata, and for tokens. */
    stallMetadata: () => stall(/^\/(token$|\.well-known\/)/),
    resume: () => {
      stalled.end();
      stalled.paths = /^$/;
    },
    goAway: () => void (isAway = true),
    comeBack: () => void (isAway = false),
    stop: () => {
      for (const spy of advice) spy.mockRestore();
      return stop();
    },
  };
}

type Policy = NonNullable<Configuration['interactions']>['policy'] & {};

async function configuration(
  redirectUri: string,
  policy: Policy,
  current: () => Visitor | undefined,
): Promise<Configuration> {
  const signedOutUri = new URL('/settings/api-keys', redirectUri).href;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: 'RS256', use: 'sig' };
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [signedOutUri],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_context, { uid }) => `/interaction/${uid}` },
    acrValues: ['gold', 'silver'],
    claims: { openid: ['sub', 'name', 'realm_access'], email: ['email', 'email_verified'], acr: null, auth_time: null },
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: (use) => ({
        sub: accountId,
        ...(use === 'id_token'
          ? current()?.idTokenClaims
          : { email: accountId, email_verified: !accountId.startsWith('unverified'), ...current()?.claims }),
      }),
    }),
    // Skips the question for consent.
    loadExistingGrant: async ({ oidc }) => {
      const { accountId } = oidc.session!;
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: accountId! });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  };
}

/** Signs the visitor in, or shows the form. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  visitor: Visitor | undefined,
): Promise<void> {
  const typed = request.method === 'POST' ? new URLSearchParams(await text(request)).get('login') : null;
  const person = visitor ?? (typed ? { accountId: typed, acr: 'gold' } : undefined);
  if (!person) {
    response.setHeader('content-type', 'text/html').end(LOGIN_PAGE);
    return;
  }
  const { accountId, acr, authTime } = person;
  const login = { accountId, ...(acr && { acr }), ...(authTime && { ts: authTime }) };
  await provider.interactionFinished(
    request,
    response,
    { login, select_account: {} },
    { mergeWithLastSubmission: false },
  );
}

const LOGIN_PAGE = `<!doctype html>
<html lang="en"><title>The platform’s login</title>
<form method="post"><label>Who are you? <input name="login" autofocus></label> <button>Sign in</button></form></html>`;
