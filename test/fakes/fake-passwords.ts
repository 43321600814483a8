import { createHash, randomBytes } from 'node:crypto';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';

const digestOf = (password: string) => createHash('sha256').update(password).digest('hex').slice(0, 53);

/** Looks like a hash of argon2id. @param kib the memory that a check with argon2 would need */
export function fakeHash(password: string, kib: number): string {
  return `$argon2id$v=19$m=${kib},t=2,p=1$${randomBytes(8).toString('hex')}$${digestOf(password)}`;
}

export const fakeBcrypt = (password: string) => `$2b$10$${digestOf(password)}`;

/** The real rules over hashes that cost nothing. */
export class FakePasswords extends Argon2Passwords {
  constructor() {
    super(
      {
        hash: async (password, { memoryCost = 0 }) => fakeHash(password, memoryCost),
        verify: async (hash, password) => hash.endsWith(digestOf(password)),
      },
      { atOnce: 100 },
    );
  }
}
