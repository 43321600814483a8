// JavaScript, because the hashing process is started both from the sources and from the build.
import argon2 from 'argon2';
import bcrypt from 'bcryptjs';

/**
 * Uses argon2 for our own hashes, and bcrypt for those hashes that the platform pushed.
 * @type {import('./hashing.js').Argon2}
 */
export const passwordHashes = {
  hash: (password, cost) => argon2.hash(password, cost),
  verify: (hash, password) => (hash.startsWith('$2') ? matchesBcrypt(hash, password) : argon2.verify(hash, password)),
};

/**
 * bcrypt repeats the password and a NUL after it until it has 72 bytes, so it can't distinguish `a` from `a\0a`.
 * @param {string} hash
 * @param {string} password
 */
async function matchesBcrypt(hash, password) {
  return (await bcrypt.compare(password, hash)) && !password.includes('\0');
}
