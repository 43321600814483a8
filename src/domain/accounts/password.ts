import { lengthProblem } from '../errors.js';

export const MAX_PASSWORD_LENGTH = 1024;

export function passwordProblem(password: string): string | undefined {
  return lengthProblem(password, MAX_PASSWORD_LENGTH);
}
