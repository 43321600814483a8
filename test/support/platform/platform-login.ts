import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { serve } from './http-server.js';

export const ISSUER = 'https://login.example.org';
export const AUDIENCE = 'latchkey';

/** The platform's own login: a real server with its public keys, one each for RS256 and ES256. */
export async function startPlatformLogin() {
  const pairs = {
    RS256: await generateKeyPair('RS256', { extractable: true }),
    ES256: await generateKeyPair('ES256', { extractable: true }),
  };
  const publicKeys = await Promise.all(
    Object.entries(pairs).map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), alg, kid: alg })),
  );
  let answer = { status: 200, body: JSON.stringify({ keys: publicKeys }) };
  const { url, stop } = await serve((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  const jwksUrl = `${url}/jwks.json`;
  return {
    jwksUrl,
    /** The environment of a service that accepts its tokens. */
    env: { SESSION_JWKS_URL: jwksUrl, SESSION_JWT_ISSUER: ISSUER, SESSION_JWT_AUDIENCE: AUDIENCE },
    token: (claims: JWTPayload) => sign(claims, { alg: 'ES256', kid: 'ES256' }, pairs.ES256.privateKey),
    publicKeys,
    privateKey: (alg: 'RS256' | 'ES256') => pairs[alg].privateKey,
    /** The answer from now on, in place of its keys. */
    answers: (status: number, body: string) => void (answer = { status, body }),
    stop,
  };
}

export type PlatformLogin = Awaited<ReturnType<typeof startPlatformLogin>>;

/** A token of the login for `sub`, valid for an hour unless the claims say otherwise. */
export function sign(claims: JWTPayload, header: JWTHeaderParameters, key: CryptoKey | Uint8Array): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 3600, ...claims };
  return new SignJWT(all).setProtectedHeader(header).sign(key);
}
