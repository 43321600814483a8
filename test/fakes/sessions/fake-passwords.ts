import { createHash, randomBytes } from 'node:crypto';
import type { Requester, Passwords } from '#application/sign-in-ports.js';

const NEW_HASH_KIB = 19_456;
const MAX_KIB = 262_144;
const HASH = /^\$(?:argon2id\$v=19\$m=(?<kib>\d+),t=2,p=1|2b\$10)\$(?<salt>[^$]+)\$(?<digest>[^$]+)$/;

/** Hashes that look like argon2id, or roughly like bcrypt, and are cheap. */
export class FakePasswords implements Passwords {
  requireRoom(_requester: Requester): void {}

  async hash(password: string): Promise<string> {
    return fakeHash(password, NEW_HASH_KIB);
  }

  async verify(password: string, hash: string | null): Promise<{ matches: boolean; outdated: boolean }> {
    const { kib, salt, digest } = HASH.exec(hash ?? '')?.groups ?? {};
    const matches = digest !== undefined && digest === digestOf(password, salt!);
    return { matches, outdated: hash !== null && !(Number(kib) >= NEW_HASH_KIB) };
  }

  hashProblem(hash: string): string | undefined {
    const found = HASH.exec(hash)?.groups;
    if (!found) return 'must be an argon2id PHC string';
    return Number(found['kib']) > MAX_KIB ? `must cost at most m=${MAX_KIB}` : undefined;
  }
}

/** @param kib the memory that a check with argon2 would need */
export function fakeHash(password: string, kib: number): string {
  const salt = randomBytes(8).toString('hex');
  return `$argon2id$v=19$m=${kib},t=2,p=1$${salt}$${digestOf(password, salt)}`;
}

export function fakeBcrypt(password: string): string {
  return `$2b$10$salt$${digestOf(password, 'salt')}`;
}

function digestOf(password: string, salt: string): string {
  return createHash('sha256').update(`${salt} ${password}`).digest('base64url');
}
