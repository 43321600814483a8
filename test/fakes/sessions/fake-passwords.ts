import { createHash, randomBytes } from 'node:crypto';
import type { Passwords, Asker } from '../../../src/application/ports.js';

const NEW_HASH_KIB = 19_456;
const MOST_KIB = 262_144;
const BCRYPT_BYTES = 72;
const BCRYPT = /^\$2[aby]\$(?<cost>\d\d)\$(?<salt>[./A-Za-z0-9]{22})(?<digest>[./A-Za-z0-9]{31})$/;
const PHC = /^\$argon2id\$v=19\$m=(?<kib>\d+),t=2,p=1\$(?<salt>[^$]+)\$(?<digest>[^$]+)$/;

/** Hashes that look like argon2id, or like bcrypt, and cost nothing. */
export class FakePasswords implements Passwords {
  requireRoom(_asker: Asker): void {}

  async hash(password: string): Promise<string> {
    return fakeHash(password, NEW_HASH_KIB);
  }

  async verify(password: string, hash: string | null): Promise<{ matches: boolean; outdated: boolean }> {
    if (hash !== null && BCRYPT.test(hash)) return verifyBcrypt(password, hash);
    const { kib, salt, digest } = PHC.exec(hash ?? '')?.groups ?? {};
    const matches = digest !== undefined && digest === digestOf(password, salt!);
    return { matches, outdated: hash !== null && !(Number(kib) >= NEW_HASH_KIB) };
  }

  hashProblem(hash: string): string | undefined {
    const { cost } = BCRYPT.exec(hash)?.groups ?? {};
    if (cost !== undefined)
      return Number(cost) >= 4 && Number(cost) <= 12 ? undefined : 'must have a cost from 4 to 12';
    const { kib } = PHC.exec(hash)?.groups ?? {};
    if (kib === undefined) return 'must be an argon2id PHC string';
    return Number(kib) > MOST_KIB ? `must cost at most m=${MOST_KIB}` : undefined;
  }
}

/** @param kib what a check would cost if it were argon2's */
export function fakeHash(password: string, kib: number): string {
  const salt = randomBytes(8).toString('hex');
  return `$argon2id$v=19$m=${kib},t=2,p=1$${salt}$${digestOf(password, salt)}`;
}

/** As bcrypt would hash it: of a long password the beginning, and of none with a NUL. */
export function fakeBcrypt(password: string, cost: number): string {
  const salt = bcryptText(randomBytes(32).toString('base64'), 22);
  return `$2b$${String(cost).padStart(2, '0')}$${salt}${bcryptDigest(password, salt)}`;
}

function verifyBcrypt(password: string, hash: string): { matches: boolean; outdated: boolean } {
  const { salt, digest } = BCRYPT.exec(hash)!.groups!;
  const matches = digest === bcryptDigest(password, salt!) && !password.includes('\0');
  return { matches, outdated: Buffer.byteLength(password) <= BCRYPT_BYTES };
}

function bcryptDigest(password: string, salt: string): string {
  const seen = Buffer.from(password).subarray(0, BCRYPT_BYTES);
  return bcryptText(createHash('sha256').update(salt).update(seen).digest('base64'), 31);
}

function bcryptText(base64: string, length: number): string {
  return base64.replaceAll('+', '.').slice(0, length);
}

function digestOf(password: string, salt: string): string {
  return createHash('sha256').update(`${salt} ${password}`).digest('base64url');
}
