import { type KeyListing, positionIn } from '../../../../application/keys/list-keys.js';
import { accountIdProblem, MAX_EMAIL_LENGTH } from '../../../../domain/accounts/account-profile.js';
import { lengthProblem, requireFields } from '../../../../domain/errors.js';
import { timeIn } from '../../shared/time-text.js';
import { type Query, readStatus } from '../management/read-request.js';

/** What a list shows of a key with the marker `lk`. So no secret comes here when somebody pastes a key. */
export const MAX_PREFIX_LENGTH = 16;

const NAMES = ['owner', 'prefix', 'lastUsedBefore', 'expiresBefore', 'cursor'] as const;

/** A problem never repeats the value. */
export function readListing(query: Query): Omit<KeyListing, 'pageSize'> {
  const status = readStatus(query);
  requireFields(Object.fromEntries(NAMES.map((name) => [name, oneTextProblem(query[name])])));
  const { owner, prefix, lastUsedBefore, expiresBefore, cursor } = query as Partial<Record<string, string>>;
  const isTooLong = prefix !== undefined && prefix.length > MAX_PREFIX_LENGTH;
  requireFields({
    owner: owner === undefined ? undefined : accountIdProblem(owner),
    prefix: isTooLong ? `must be at most ${MAX_PREFIX_LENGTH} characters` : undefined,
    lastUsedBefore: timeProblem(lastUsedBefore),
    expiresBefore: timeProblem(expiresBefore),
    cursor: cursor === undefined || positionIn(cursor) ? undefined : 'must be a nextCursor of this list',
  });
  return {
    ownerId: owner,
    prefix,
    status,
    lastUsedBefore: lastUsedBefore === undefined ? undefined : timeIn(lastUsedBefore),
    expiresBefore: expiresBefore === undefined ? undefined : timeIn(expiresBefore),
    pageToken: cursor,
  };
}

export function readAccountQuery({ query }: Query): string {
  const problem = typeof query === 'string' ? lengthProblem(query, MAX_EMAIL_LENGTH) : 'must be given once';
  requireFields({ query: query === undefined ? 'is missing' : problem });
  return query as string;
}

function oneTextProblem(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? undefined : 'must be given once';
}

function timeProblem(text: string | undefined): string | undefined {
  return text === undefined || timeIn(text) ? undefined : 'must be a time such as 2026-03-29T00:30:00Z';
}
