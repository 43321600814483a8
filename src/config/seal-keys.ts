import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SealKeys } from '../domain/audit/audit-seal.js';
import type { EnvReader } from './env-reader.js';

const NAME = 'AUDIT_SEAL_KEY';

/** Empty when the variable is not set. If it is set, it must contain a key. */
export function readSealKeys(reader: EnvReader): SealKeys {
  const keys = reader.list(NAME, parseSealKey) ?? [];
  if (keys.length === 0 && reader.text(NAME) !== undefined) reader.wrong(NAME, 'contains no key');
  return keys;
}

/** A random secret of at least 32 bytes, in hex or base64. Text that is valid hex is read as hex. */
function parseSealKey(text: string): KeyObject {
  const isHex = /^([0-9a-f]{2})+$/i.test(text);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  if ((isHex || isBase64) && bytes.length >= 32) return createSecretKey(bytes);
  throw new Error('must be at least 32 random bytes in hex or base64, as from `openssl rand -hex 32`');
}
