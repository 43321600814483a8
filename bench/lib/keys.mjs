import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The n-th key of the benchmark, the same in every process. @param {number} n @returns `lk_<public>.<secret>` */
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

/** As many random keys, however many are `stored`: so the client's own work is always the same. @param {number} stored */
export const randomKeys = (stored) =>
  Array.from({ length: SAMPLE }, () => keyNumber(Math.floor(Math.random() * stored)));
