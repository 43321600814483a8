import { isIP } from 'node:net';
import type { Client } from '../../../domain/audit/audit-event.js';
import { bareAddress } from '../../../domain/ip-address.js';
import { withoutSecrets } from '../../../domain/secrets.js';

const MAX_USER_AGENT = 256;
const MAX_REQUEST_ID = 128;

/** Made safe for the audit trail: no control characters, lone surrogates or keys, and limited in length. */
export function clientFacts(facts: {
  ip: string | undefined;
  userAgent: string | undefined;
  requestId: string | undefined;
}): Client {
  const ip = bareAddress(facts.ip ?? '');
  return {
    ip: isIP(ip) ? ip.replace(/^::ffff:(?=\d+\.)/i, '') : null,
    userAgent: plainText(facts.userAgent, MAX_USER_AGENT),
    requestId: plainText(facts.requestId, MAX_REQUEST_ID),
  };
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** A text that others wrote, cut to this number of characters; null if nothing is left. */
export function plainText(text: string | undefined, maxLength: number): string | null {
  if (!text) return null;
  if (text.length <= maxLength && PRINTABLE_ASCII.test(text)) return withoutSecrets(text);
  const plain = text.slice(0, maxLength * 2).replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '');
  return [...withoutSecrets(plain)].slice(0, maxLength).join('') || null;
}
