import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Client } from '#domain/audit/audit-event.js';
import { bareAddress } from '#domain/ip-address.js';
import { withoutSecrets } from '#domain/secrets.js';
import type { Operation, Question } from '#domain/keys/verdict.js';
import type { Credential } from '#domain/keys/credential.js';

/** Every value of a header. Node's `headers` keeps only the first of several Authorization headers. */
export function headerValues(request: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}

/** Whether the request announces a body, even if it never sends one. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The credential of the only `Authorization: Bearer` header (RFC 6750): scheme in any letter case, one space, nothing
 * trimmed. Undefined when there is no header, more than one, or another scheme.
 */
export function readBearer(headers: readonly string[]): string | undefined {
  const [header, ...others] = headers;
  if (header === undefined || others.length > 0) return undefined;
  if (header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7);
}

/** The same, for clients that may leave the scheme out: then the whole header is the credential. */
export function readBearerOrBare(headers: readonly string[]): string | undefined {
  const [header, ...others] = headers;
  return readBearer(headers) ?? (others.length === 0 && !header?.includes(' ') ? header : undefined);
}

/** Undefined where nobody's key can be. */
export function keyStringIn(credential: Credential): string | undefined {
  return 'apiKey' in credential ? credential.apiKey : readBearer([credential.authorization]);
}

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

const READING = ['GET', 'HEAD', 'OPTIONS'];
const WRITING = ['POST', 'PUT', 'PATCH'];

/** Methods are case-sensitive (RFC 9110, section 9.1). Unknown methods count as DELETE, which no key may do. */
export function operationOf(method: string): Operation {
  if (READING.includes(method)) return 'read';
  return WRITING.includes(method) ? 'write' : 'destroy';
}

/**
 * An operation that no key may do, for a request of which nothing else is known. A good key is charged and gets 403. An
 * unknown client gets 401 and is recorded.
 */
export const CLOSED: Question = { operation: 'destroy', permission: '' };
