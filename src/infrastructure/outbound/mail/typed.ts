import { withoutSecrets } from '../../../domain/secrets.js';

/** Marks that turn the direction of the text after them, beyond the end of what was typed. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Begins what mail programs decode in a subject or a name (RFC 2047). */
const ENCODED = /=\?/g;

/** What a person typed, as one line of text that changes nothing around it. */
export function typedText(text: string): string {
  return withoutSecrets(text.replace(TURNING, '').replace(BREAKS, ' ').replace(ENCODED, '= ?')).trim();
}
