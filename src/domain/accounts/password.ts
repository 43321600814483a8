import { lengthProblem } from '../errors.js';

export const MAX_PASSWORD_LENGTH = 1024;
/** In characters as people count them. NIST SP 800-63B and OWASP ASVS ask for as many. */
const LEAST_NEW_LENGTH = 8;

/** Of a password that a person types: one may have been set when shorter ones were taken. */
export function passwordProblem(password: string): string | undefined {
  return lengthProblem(password, MAX_PASSWORD_LENGTH);
}

/** Of a password that is about to be set. */
export function newPasswordProblem(password: string): string | undefined {
  const isLongEnough = [...password.slice(0, 2 * LEAST_NEW_LENGTH)].length >= LEAST_NEW_LENGTH;
  if (isLongEnough && password.length <= MAX_PASSWORD_LENGTH) return undefined;
  return `must be ${LEAST_NEW_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
}
