import { LatchkeyError } from '../domain/errors.js';

export function accountNotFound(): LatchkeyError {
  return new LatchkeyError('account_not_found', 'id names no account');
}
