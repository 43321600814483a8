import type { KeyListing } from '../../../../application/keys/list-all-keys.js';
import { positionIn } from '../../../../application/keys/shown-keys.js';
import { type PageRequest, WRONG_CURSOR } from '../../../../application/lists.js';
import type { EventSearch } from '../../../../application/ports.js';
import { accountIdProblem, MAX_EMAIL_LENGTH } from '../../../../domain/accounts/account-profile.js';
import { isKeyId } from '../../../../domain/keys/key-rules.js';
import { lengthProblem, optional, requireFields } from '../../../../domain/errors.js';
import { timeIn } from '../../shared/time-text.js';
import { text } from '../pipeline/rules.js';
import { type Query, readEventTypes, readStatus } from '../management/read-request.js';

/** What a list shows of a key with the marker `lk`. So no secret comes here when somebody pastes a key. */
export const MAX_PREFIX_LENGTH = 16;

const accountProblem = optional(text(accountIdProblem));
const timeProblem = optional(
  text((value) => (timeIn(value) ? undefined : 'must be a time such as 2026-03-29T00:30:00Z')),
);

/** A problem never repeats the value. */
export function readListing(query: Query): Omit<KeyListing, 'pageSize'> {
  const status = readStatus(query);
  const texts = textsIn(query, 'owner', 'prefix', 'lastUsedBefore', 'expiresFrom', 'expiresBefore', 'cursor');
  const { owner, prefix, lastUsedBefore, expiresFrom, expiresBefore, cursor } = texts;
  const isTooLong = prefix !== undefined && prefix.length > MAX_PREFIX_LENGTH;
  requireFields({
    owner: accountProblem(owner),
    prefix: isTooLong ? `must be at most ${MAX_PREFIX_LENGTH} characters` : undefined,
    lastUsedBefore: timeProblem(lastUsedBefore),
    expiresFrom: timeProblem(expiresFrom),
    expiresBefore: timeProblem(expiresBefore),
    cursor: cursor === undefined || positionIn(cursor) ? undefined : WRONG_CURSOR,
  });
  return {
    ownerId: owner,
    prefix,
    status,
    lastUsedBefore: timeOf(lastUsedBefore),
    expiresFrom: timeOf(expiresFrom),
    expiresBefore: timeOf(expiresBefore),
    pageToken: cursor,
  };
}

/** From the one time, before the other. */
export function readEventSearch(query: Query): EventSearch & Pick<PageRequest, 'cursor'> {
  const types = readEventTypes(query['type']);
  const { actor, account, key, from, until, cursor } = textsIn(
    query,
    'actor',
    'account',
    'key',
    'from',
    'until',
    'cursor',
  );
  const keyId = key?.toLowerCase();
  requireFields({
    actor: accountProblem(actor),
    account: accountProblem(account),
    key: keyId === undefined || isKeyId(keyId) ? undefined : 'must be the id of a key',
    from: timeProblem(from),
    until: timeProblem(until),
  });
  return { actorId: actor, ownerId: account, keyId, types, since: timeOf(from), until: timeOf(until), cursor };
}

export function readAccountQuery({ query }: Query): string {
  const problem = typeof query === 'string' ? lengthProblem(query, MAX_EMAIL_LENGTH) : 'must be given once';
  requireFields({ query: query === undefined ? 'is missing' : problem });
  return query as string;
}

function textsIn<N extends string>(query: Query, ...names: N[]): Partial<Record<N, string>> {
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  requireFields(
    Object.fromEntries(names.map((name) => [name, isText(query[name]) ? undefined : 'must be given once'])),
  );
  return query as Partial<Record<N, string>>;
}

function timeOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : timeIn(time);
}
