import { requireFields } from '../../../../domain/errors.js';
import { withoutSecrets } from '../../../../domain/secrets.js';

/** As the IETF draft "The Idempotency-Key HTTP Header Field" has it, quotes optional; kept as the client sent it. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  requireFields({ 'Idempotency-Key': problemOf(header) });
  return header;
}

function problemOf(header: string): string | undefined {
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) return 'must be 1 to 255 visible ASCII characters';
  return withoutSecrets(header) === header ? undefined : 'must not hold an API key: make up a new value, a UUID say';
}
