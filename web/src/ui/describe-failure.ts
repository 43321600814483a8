import { ApiProblem, NoAnswer } from '../api/problem';
import type { Texts } from '../texts';
import { duration } from '../time/format';

/** A failure in plain words. */
export function describeFailure(error: unknown, { failure, language }: Texts): string {
  if (error instanceof NoAnswer) return navigator.onLine ? failure.noAnswer : failure.offline;
  if (!(error instanceof ApiProblem)) return failure.unexpected(error instanceof Error ? error.message : String(error));
  if (error.code === 'unauthenticated') return failure.signedOut;
  if (error.code === 'another_person') return failure.anotherPerson;
  if (error.code === 'no_account') return failure.noAccount;
  if (error.code === 'account_not_found') return failure.notManaged;
  if (error.code === 'account_not_active') return failure.notActive;
  if (error.status === 429) return failure.wait(duration(error.retryAfterSeconds ?? 60, language));
  if (error.status >= 502 && error.status <= 504) return failure.unavailable;
  return failure.unexpected(error.message);
}
