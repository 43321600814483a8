import { createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportSPKI, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import { SILENT } from '#test/support/reading/kept-log.js';
import {
  AUDIENCE,
  ISSUER,
  sign,
  startPlatformLogin,
  type PlatformLogin,
} from '#test/support/platform/platform-login.js';
import { JwksPlatformTokens } from './jwks-platform-tokens.js';

const now = () => Math.floor(Date.now() / 1000);
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const RS256 = { alg: 'RS256', kid: 'RS256' };
const REFUSED = { refusal: expect.any(String) };

let login: PlatformLogin;
let tokens: JwksPlatformTokens;
beforeAll(async () => {
  login = await startPlatformLogin();
  tokens = new JwksPlatformTokens({ jwksUrl: login.jwksUrl, issuer: ISSUER, audience: AUDIENCE }, SILENT);
});
afterAll(() => login.stop());

const signed = (claims: object) => sign({ sub: 'u1', ...claims }, RS256, login.privateKey('RS256'));

describe("a JWT of the platform's own login", () => {
  test.each(['RS256', 'ES256'] as const)('signed with %s identifies its subject until it expires', async (alg) => {
    const exp = now() + 600;
    const jwt = await sign({ sub: 'auth0|abc', exp }, { alg, kid: alg }, login.privateKey(alg));
    expect(await tokens.verify(jwt)).toMatchObject({ accountId: 'auth0|abc', expiresAt: new Date(exp * 1000) });
  });

  test('may name several audiences that include ours', async () => {
    expect(await tokens.verify(await signed({ aud: ['other', AUDIENCE] }))).toMatchObject({ accountId: 'u1' });
  });

  test.each<[string, object]>([
    ['auth_time as text', { auth_time: '1700000000' }],
    ['a negative auth_time', { auth_time: -1 }],
    ['an auth_time beyond all dates', { auth_time: 1e20 }],
    ['iat alone', { iat: now() }],
    ['acr as a list', { acr: ['gold'] }],
  ])('with %s does not show when or how the person signed in', async (_what, claims) => {
    const signIn = { authenticatedAt: undefined, acr: undefined };
    expect(await tokens.verify(await signed(claims))).toMatchObject({ accountId: 'u1', signIn });
  });

  test.each<[string, () => object, RegExp]>([
    ['of another issuer', () => ({ iss: 'https://evil.example.org' }), /SESSION_JWT_ISSUER$/],
    ['of no issuer', () => ({ iss: undefined }), /SESSION_JWT_ISSUER$/],
    ['for another audience', () => ({ aud: 'billing' }), /SESSION_JWT_AUDIENCE$/],
    ['for no audience', () => ({ aud: undefined }), /SESSION_JWT_AUDIENCE$/],
    ['that expired', () => ({ exp: now() - 1 }), /^the token has expired$/],
    ['that never expires', () => ({ exp: undefined }), /"exp"/],
    ['that is not valid yet', () => ({ nbf: now() + 600 }), /"nbf"/],
    ['of nobody', () => ({ sub: undefined }), /"sub"/],
    ['whose subject is not text', () => ({ sub: 5 }), /subject/],
    ['whose subject is not a valid account id', () => ({ sub: 'a b' }), /subject/],
  ])('is refused with the reason when it is one %s', async (_what, claims, why) => {
    expect(await tokens.verify(await signed(claims()))).toEqual({ refusal: expect.stringMatching(why) });
  });

  test.each<[string, () => Promise<string> | string]>([
    ['signed by someone else', async () => sign({ sub: 'u1' }, RS256, (await generateKeyPair('RS256')).privateKey)],
    [
      'signed under a key the login does not have',
      () => sign({ sub: 'u1' }, { alg: 'RS256', kid: 'other' }, login.privateKey('RS256')),
    ],
    ['without a signature', () => `${base64url({ alg: 'none' })}.${base64url({ sub: 'u1', exp: now() + 60 })}.`],
    [
      'without a signature under a key of the login',
      () =>
        `${base64url({ alg: 'none', kid: 'RS256' })}.${base64url({ sub: 'u1', iss: ISSUER, aud: AUDIENCE, exp: now() + 60 })}.`,
    ],
    [
      'whose claims were changed',
      async () => {
        const [header, , signature] = (await signed({})).split('.');
        const claims = { sub: 'admin', iss: ISSUER, aud: AUDIENCE, exp: now() + 60 };
        return `${header}.${base64url(claims)}.${signature}`;
      },
    ],
    ['that is not a JWT', () => 'lk_abc.def'],
    ['of five parts', () => 'a.b.c.d.e'],
    ['that is empty', () => ''],
  ])('is refused when it is one %s', async (_what, make) => {
    expect(await tokens.verify(await make())).toEqual(REFUSED);
  });

  test('is refused when the public key was used as an HMAC secret, in any format', async () => {
    const [jwk] = login.publicKeys;
    const spki = await exportSPKI((await importJWK(jwk!, 'RS256', { extractable: true })) as CryptoKey);
    const der = createPublicKey(spki).export({ type: 'spki', format: 'der' });
    const secrets = [spki, spki.trim(), JSON.stringify(jwk), jwk!.n!].map((text) => Buffer.from(text));
    for (const secret of [...secrets, der]) {
      for (const kid of ['RS256', 'ES256', undefined]) {
        const header = { alg: 'HS256', ...(kid ? { kid } : {}) };
        const jwt = await sign({ sub: 'u1' }, header, new Uint8Array(secret));
        expect(await tokens.verify(jwt)).toEqual(REFUSED);
      }
    }
  });
});

describe('a login without an available key set', () => {
  const unavailable = { code: 'unavailable' };
  const others: PlatformLogin[] = [];
  const another = async () => {
    const other = await startPlatformLogin();
    others.push(other);
    return other;
  };
  afterEach(async () => {
    for (const other of others.splice(0)) await other.stop();
  });
  const fresh = (jwksUrl: string) => new JwksPlatformTokens({ jwksUrl, issuer: ISSUER, audience: AUDIENCE }, SILENT);

  test('makes verification unavailable while it is down', async () => {
    const stopped = await startPlatformLogin();
    await stopped.stop();
    await expect(fresh(stopped.jwksUrl).verify(await signed({}))).rejects.toMatchObject(unavailable);
  });

  test.each([
    [500, 'oops'],
    [404, '{}'],
    [200, 'no json'],
    [200, '{"keys":"none"}'],
  ])('makes verification unavailable if it answers %i %j, and is called again', async (status, body) => {
    const failing = await another();
    const good = JSON.stringify({ keys: login.publicKeys });
    failing.answers(status, body);
    const verifier = fresh(failing.jwksUrl);
    await expect(verifier.verify(await signed({}))).rejects.toMatchObject(unavailable);
    failing.answers(200, good);
    expect(await verifier.verify(await signed({}))).toMatchObject({ accountId: 'u1' });
  });
});
