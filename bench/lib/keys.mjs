import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The n-th key of the benchmark. It is the same in every process, so that no process has to send a million keys to
 * another.
 * @param {number} n
 * @returns {string} `lk_<public>.<secret>`
 */
export function keyNumber(n) {
  const random = createHash('sha512').update(`bench ${n}`).digest('hex');
  const withoutChecksum = `lk_${random.slice(0, 24)}.${random.slice(24, 80)}`;
  return withoutChecksum + crc32(withoutChecksum).toString(16).padStart(8, '0');
}

/** @param {string} key */
export const publicPartOf = (key) => key.slice(3, 27);

/** A well-formed key string that was never stored. @param {number} n */
export const unknownKey = (n) => keyNumber(-1 - n);

/** @param {number} n @returns {string} each owner holds five */
export const ownerOf = (n) => `owner-${Math.floor(n / 5)}`;

const SAMPLE = 100_000;

/**
 * Random stored keys, to be validated in turn. The number of keys is always the same, so that the caller's own work
 * does not depend on how many keys are stored.
 * @param {number} stored
 */
export const randomKeys = (stored) =>
  Array.from({ length: SAMPLE }, () => keyNumber(Math.floor(Math.random() * stored)));
