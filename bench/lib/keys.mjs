import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The n-th key of a bench, the same in every process, so that a million of them need not be handed around.
 * @param {number} n
 * @returns {string} `lk_<public>.<secret>`
 */
export function keyNumber(n) {
  const random = createHash('sha512').update(`bench ${n}`).digest('hex');
  const unsealed = `lk_${random.slice(0, 24)}.${random.slice(24, 80)}`;
  return unsealed + crc32(unsealed).toString(16).padStart(8, '0');
}

/** @param {string} key */
export const publicPartOf = (key) => key.slice(3, 27);

/** Well-formed, and of no key that was ever stored. @param {number} n */
export const unknownKey = (n) => keyNumber(-1 - n);

/** @param {number} n @returns {string} each owner holds five */
export const ownerOf = (n) => `owner-${Math.floor(n / 5)}`;

const SAMPLE = 100_000;

/**
 * Picked at random among all that are stored, to be asked for in turn: as many however few are stored, so that the
 * caller's own work is the same.
 * @param {number} stored
 */
export const randomKeys = (stored) =>
  Array.from({ length: SAMPLE }, () => keyNumber(Math.floor(Math.random() * stored)));
