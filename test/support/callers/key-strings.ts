import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Duration__Output } from '#infrastructure/inbound/grpc/generated/google/protobuf/Duration.js';

/** A well-formed key string with the same public part and a wrong secret. */
export function withWrongSecret(fullKey: string): string {
  return sealed(`${fullKey.slice(0, fullKey.indexOf('.') + 1)}${randomBytes(28).toString('hex')}`);
}

/** A well-formed key string of a key that does not exist. */
export function unknownKey(prefix = 'lk'): string {
  return sealed(`${prefix}_${randomBytes(12).toString('hex')}.${randomBytes(28).toString('hex')}`);
}

function sealed(unsealed: string): string {
  return unsealed + crc32(unsealed).toString(16).padStart(8, '0');
}

export function secondsOf(duration: Duration__Output | null | undefined): number {
  if (!duration) throw new Error('there is no duration');
  return Number(duration.seconds) + duration.nanos / 1e9;
}
