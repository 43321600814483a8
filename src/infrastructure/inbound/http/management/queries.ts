import { type PageRequest, WRONG_CURSOR } from '#application/lists.js';
import type { EventFilter, EventSearch } from '#application/ports.js';
import { type KeyListing, positionIn } from '#application/keys/shown-keys.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '#domain/keys/key-status.js';
import { idempotencyKeyProblem, isKeyId } from '#domain/keys/key-rules.js';
import { OWNER_EVENT_TYPES, type OwnerEventType } from '#domain/audit/audit-event.js';
import { lengthProblem, optional, requireFields } from '#domain/errors.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import { accountIdProblem, MAX_EMAIL_LENGTH } from '#domain/accounts/account-profile.js';
import { timeIn } from '../../shared/time-text.js';
import { text } from '../pipeline/body-parsing.js';

const PAGE_SIZE = 50;

export type Query = Readonly<Record<string, unknown>>;

export function readPage({ limit, cursor }: Query): PageRequest {
  const size =
    limit === undefined ? PAGE_SIZE : typeof limit === 'string' && /^\d{1,2}$/.test(limit) ? Number(limit) : 0;
  requireFields({
    limit: size >= 1 && size <= PAGE_SIZE ? undefined : `must be a whole number from 1 to ${PAGE_SIZE}`,
    cursor: cursor === undefined || typeof cursor === 'string' ? undefined : 'must be given once',
  });
  return { limit: size, cursor: cursor as string | undefined };
}

export function readStatus({ status }: Query): ApiKeyStatus | undefined {
  const isKnown = status === undefined || API_KEY_STATUSES.some((known) => known === status);
  requireFields({ status: isKnown ? undefined : `must be one of ${API_KEY_STATUSES.join(', ')}` });
  return status as ApiKeyStatus | undefined;
}

export function readEventFilter({ type, keyId }: Query): Partial<EventFilter> {
  const types = readEventTypes(type);
  const id = typeof keyId === 'string' ? keyId.toLowerCase() : '';
  requireFields({ keyId: keyId === undefined || isKeyId(id) ? undefined : 'must be the id of a key, given once' });
  return { ...(types && { types }), ...(keyId !== undefined && { keyId: id }) };
}

/** One or more values, comma-separated, so that the parameter is given once, like every other. */
function readEventTypes(type: unknown): OwnerEventType[] | undefined {
  if (type === undefined) return undefined;
  const named = typeof type === 'string' ? type.split(',') : [];
  const known = named.flatMap((name) => OWNER_EVENT_TYPES.find((each) => each === name) ?? []);
  const isKnown = named.length > 0 && known.length === named.length;
  requireFields({
    type: isKnown ? undefined : `must be one or more of ${OWNER_EVENT_TYPES.join(', ')}, comma-separated`,
  });
  return known;
}

/** Letter case does not matter. A text that cannot be an id gets the answer for an unknown key. */
export function readKeyId(id: string): string {
  const keyId = id.toLowerCase();
  if (!isKeyId(keyId)) throw noSuchKey();
  return keyId;
}

/** Stored as sent. Quotes are optional, unlike in the IETF draft "The Idempotency-Key HTTP Header Field". */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  requireFields({ 'Idempotency-Key': idempotencyKeyProblem(header) });
  return header;
}

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
