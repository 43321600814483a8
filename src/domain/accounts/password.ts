import { lengthProblem } from '../errors.js';

export const MAX_PASSWORD_LENGTH = 1024;
/** In Unicode characters. NIST SP 800-63B and OWASP ASVS require this length. */
const LEAST_NEW_LENGTH = 8;

/** For a password that a person types. It has no minimum length, since it may have been set under an older rule. */
export function passwordProblem(password: string): string | undefined {
  return lengthProblem(password, MAX_PASSWORD_LENGTH);
}

/** For a password that is about to be set. */
export function newPasswordProblem(password: string): string | undefined {
  const isLongEnough = [...password.slice(0, 2 * LEAST_NEW_LENGTH)].length >= LEAST_NEW_LENGTH;
  if (isLongEnough && password.length <= MAX_PASSWORD_LENGTH) return undefined;
  return `must be ${LEAST_NEW_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
}
