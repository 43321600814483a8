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
