import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

type Value = string | number | null;

/** HMAC-SHA-256 over a list of values. The first names what the list is, so that no MAC passes for another kind's. */
export function macOf(key: KeyObject, values: readonly Value[]): Buffer {
  return createHmac('sha256', key).update(line(values)).digest();
}

/** One spelling for each list of values and no other list's: JSON, in which a line break can't stand unescaped. */
export function line(values: readonly Value[]): string {
  return `${JSON.stringify(values)}\n`;
}

export function sameMac(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
