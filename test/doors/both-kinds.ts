import { generateKeyPair, type GenerateKeyPairResult, jwtVerify, SignJWT } from 'jose';
import { unknownKey } from '../support/callers/key-strings.js';
import type { Owner } from '../support/callers/owners.js';

const ISSUER = 'https://platform.example';

/** The platform's own check, of its users' tokens only. */
export class Users {
  private constructor(
    private readonly keys: GenerateKeyPairResult,
    private readonly strangers: GenerateKeyPairResult,
  ) {}

  static async create(): Promise<Users> {
    const pair = () => generateKeyPair('ES256');
    return new Users(await pair(), await pair());
  }

  token(lifetime = '5m', { privateKey } = this.keys): Promise<string> {
    const jwt = new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).setIssuer(ISSUER).setSubject('ada');
    return jwt.setExpirationTime(lifetime).sign(privateKey);
  }

  forged(): Promise<string> {
    return this.token('5m', this.strangers);
  }

  async isUser(authorization = ''): Promise<boolean> {
    const verified = jwtVerify(authorization.replace(/^Bearer /, ''), this.keys.publicKey, { issuer: ISSUER });
    return verified.then(
      () => true,
      () => false,
    );
  }
}

/** Headers of a request, and the answers to a GET and a POST, the same at every door: the status, and who gave it. */
export type BothKinds = readonly (readonly [string, readonly string[], string, string])[];

/** @param owner an owner without keys */
export async function bothKinds(users: Users, { person }: Pick<Owner, 'person'>): Promise<BothKinds> {
  const good = await person.newKey();
  const readOnly = await person.newKey({ access: 'read-only' });
  const revoked = await person.newKey();
  await person.revoke(revoked.apiKey.id);
  const bearer = (token: string) => `Authorization: Bearer ${token}`;
  const user = bearer(await users.token());
  const claim = 'X-Latchkey-Owner: somebody-else';
  return [
    ['a good key', [bearer(good.fullKey)], '200 owner', '200 owner'],
    ['a good key, and a claim', [bearer(good.fullKey), claim], '200 owner', '200 owner'],
    ['a read-only key', [bearer(readOnly.fullKey)], '200 owner', '403 Latchkey'],
    ['a revoked key', [bearer(revoked.fullKey)], '401 Latchkey', '401 Latchkey'],
    ['an unknown key', [bearer(unknownKey())], '401 Latchkey', '401 Latchkey'],
    ['a marker alone', [bearer('lk_')], '401 Latchkey', '401 Latchkey'],
    ['a key without a scheme', [`Authorization: ${good.fullKey}`], '401 Latchkey', '401 Latchkey'],
    ['a key after a token', [`${user}, Bearer ${good.fullKey}`], '401 Latchkey', '401 Latchkey'],
    ["a user's token", [user], '200 user', '200 user'],
    ["a user's token, and a claim", [user, claim, 'X_Latchkey_Owner: somebody-else'], '200 user', '200 user'],
    ["a user's token that has expired", [bearer(await users.token('-1m'))], '401 platform', '401 platform'],
    ['a token that somebody else signed', [bearer(await users.forged())], '401 platform', '401 platform'],
    ['a token that holds the marker', [bearer('eyJ.lk_a.blk_c-lk_')], '401 platform', '401 platform'],
    ['a key in another header', [`X-Api-Key: ${good.fullKey}`], '401 platform', '401 platform'],
    ['nothing', [], '401 platform', '401 platform'],
    ['a claim alone', [claim], '401 platform', '401 platform'],
  ];
}

/**
 * The answer in the table's form: a 200 is for the owner of a key or for a user, a refusal comes from Latchkey or the
 * platform. Only the answer to a key says when the key expires.
 */
export function inTable(status: number, body: string, expires: string | null | undefined): string {
  const answer = JSON.parse(body) as { message?: string; headers?: Record<string, string> };
  const isOwners = status === 200 && answer.headers!['x-latchkey-owner'] !== undefined;
  const isExpiry = expires ? !Number.isNaN(Date.parse(expires)) : false;
  const granted = isOwners ? '200 owner' : '200 user';
  if (isOwners !== isExpiry) return `${status} with expiry ${expires}`;
  return status === 200 ? granted : `${status} ${answer.message === undefined ? 'platform' : 'Latchkey'}`;
}
