import type { FreshSignInRule } from '../domain/accounts/fresh-sign-in.js';
import type { EnvReader } from './env-reader.js';

/** Whether people may sign in with a password of ours. A platform that signs its people in wants no second way in. */
export function readPasswordSignIn(reader: EnvReader): boolean {
  const elsewhere = ['SESSION_JWKS_URL', 'OIDC_ISSUER'].some((name) => reader.text(name) !== undefined);
  const isOn = reader.oneOf('PASSWORD_SIGN_IN', elsewhere ? 'off' : 'on', ['on', 'off']) === 'on';
  if (!isOn && !elsewhere)
    reader.wrong('PASSWORD_SIGN_IN', 'must not be off without SESSION_JWKS_URL or OIDC_ISSUER: nobody could sign in');
  return isOn;
}

/** How fresh, and how strong, a sign-in at the platform has to be to confirm the creation of a key. */
export function readFreshSignIn(reader: EnvReader): FreshSignInRule {
  return {
    maxAgeSeconds: reader.wholeNumber('CONFIRMATION_MAX_AGE_SECONDS', 300, 86_400),
    acrValues: reader.list('CONFIRMATION_ACR_VALUES', parseAcr) ?? [],
  };
}

/** It stands in a quoted text, separated from the next by a blank (RFC 9470). */
function parseAcr(value: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(value)) return value;
  throw new Error('must be 1 to 255 visible ASCII characters without blanks, quotes and backslashes');
}
