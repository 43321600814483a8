import { requireFields } from '../../domain/errors.js';

/** As the IETF draft "The Idempotency-Key HTTP Header Field" has it, quotes optional; kept as it came. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const isPresentable = /^[\x21-\x7e]{1,255}$/.test(header);
  requireFields({ 'Idempotency-Key': isPresentable ? undefined : 'must be 1 to 255 visible ASCII characters' });
  return header;
}
