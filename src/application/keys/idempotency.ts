import { LatchkeyError } from '../../domain/errors.js';
import type { AccountTransaction } from '../account-transaction.js';

/** Throws `idempotency_key_reused`, which names the key that was created the first time. */
export async function requireFirstTime(transaction: AccountTransaction, idempotencyKey?: string): Promise<void> {
  const earlier = idempotencyKey && (await transaction.findKeyByIdempotencyKey(idempotencyKey));
  if (!earlier) return;
  throw new LatchkeyError(
    'idempotency_key_reused',
    'An API key was already created under this Idempotency-Key; its secret is not shown again',
    { apiKeyId: earlier },
  );
}
