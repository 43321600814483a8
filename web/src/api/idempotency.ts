/** `crypto.randomUUID` is missing on a page that is served over plain http from another machine. */
export function newIdempotencyKey(): string {
  const { randomUUID } = crypto as Partial<Crypto>;
  if (randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
