import type { ApiPropertyOptions } from '@nestjs/swagger';
import { KEY_SORTS, type KeySort, type PageRequest, WRONG_CURSOR } from '#application/lists.js';
import { positionIn } from '#application/keys/shown-keys.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '#domain/keys/key-status.js';
import { idempotencyKeyProblem, isKeyId } from '#domain/keys/key-rules.js';
import { OWNER_EVENT_TYPES, type OwnerEventType } from '#domain/audit/audit-event.js';
import { lengthProblem, optional, requireFields, type Rule } from '#domain/errors.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import { accountIdProblem, MAX_EMAIL_LENGTH } from '#domain/accounts/account-profile.js';
import { timeIn } from '#domain/time.js';
import { Field, once, text } from '../pipeline/fields.js';

const PAGE_SIZE = 50;
/** What a list shows of a key with the marker `lk`. So no secret comes here when somebody pastes a key. */
const MAX_PREFIX_LENGTH = 16;

// A problem never repeats the value.
const anyText = once();
const ofAccount = once(accountIdProblem);
const time = once((value) => (timeIn(value) ? undefined : 'must be a time such as 2026-03-29T00:30:00Z'));
/** A parameter that is read as a Date. */
const Time = (description?: string) =>
  Field(time, { format: 'date-time', ...(description && { description }) }, timeIn);
/** A parameter with one of these values. */
const OneOf = (words: readonly string[], schema: ApiPropertyOptions = {}) => {
  const rule = (value: unknown) =>
    words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`;
  return Field(optional(rule), { enum: [...words], ...schema });
};
const limit: Rule = optional((value) => {
  const size = typeof value === 'string' && /^\d{1,2}$/.test(value) ? Number(value) : 0;
  return size >= 1 && size <= PAGE_SIZE ? undefined : `must be a whole number from 1 to ${PAGE_SIZE}`;
});
const ONLY = ['paused', 'narrower'] as const;
/** One or more values, comma-separated, so that the parameter is given once, like every other. */
const eventTypes: Rule = optional((value) => {
  const named = typeof value === 'string' ? value.split(',') : [];
  const areKnown = named.length > 0 && named.every((name) => OWNER_EVENT_TYPES.some((known) => known === name));
  return areKnown ? undefined : `must be one or more of ${OWNER_EVENT_TYPES.join(', ')}, comma-separated`;
});
const ofKey = (problem: string, otherwise?: string) =>
  once((value) => (isKeyId(value.toLowerCase()) ? undefined : problem), otherwise);
const prefix = once((value) =>
  value.length > MAX_PREFIX_LENGTH ? `must be at most ${MAX_PREFIX_LENGTH} characters` : undefined,
);
const cursorOfKeys = once((value) => (positionIn(value) ? undefined : WRONG_CURSOR));
const accountQuery = text((value) => lengthProblem(value, MAX_EMAIL_LENGTH), 'must be given once');

const TYPES = {
  isArray: true,
  style: 'form',
  explode: false,
  enum: OWNER_EVENT_TYPES,
  description: 'Only events of these types: one or more, comma-separated',
} as const;
const UUID = { format: 'uuid' } as const;
const SORTED = 'Newest, last use, most requests of the last 30 days, soonest expiry, or name first';
const OF_KEY = { ...UUID, description: 'Only events of this key; none if it is not a key of this owner' } as const;
const ONE_KEY = 'must be the id of a key, given once';

class PageQuery {
  @Field(limit, { type: 'integer', minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE }, Number) limit?: number;
  @Field(anyText) cursor?: string;
}

export class ListQuery extends PageQuery {
  @OneOf(KEY_SORTS, { default: 'created', description: SORTED }) sort?: KeySort;
  @OneOf(API_KEY_STATUSES) status?: ApiKeyStatus;
}

export class EventQuery extends PageQuery {
  @Field(eventTypes, TYPES, typesIn) type?: OwnerEventType[];
  @Field(ofKey(ONE_KEY, ONE_KEY), OF_KEY, inLowerCase) keyId?: string;
}

export class KeySearchQuery {
  @Field(ofAccount, { description: 'The id of an account' }) owner?: string;
  @Field(ofAccount, { description: 'Who made the key: the id of an account, `service:<name>` or `admin:<name>`' })
  createdBy?: string;
  @Field(prefix, {
    maxLength: MAX_PREFIX_LENGTH,
    description: 'What a list shows of the key, such as lk_4f9a01c2d3e4…, or a beginning of it',
  })
  prefix?: string;
  @OneOf(API_KEY_STATUSES) status?: ApiKeyStatus;
  @OneOf(ONLY, { description: 'Active keys that are paused, or that could do without some of what they may do' })
  only?: (typeof ONLY)[number];
  @OneOf(KEY_SORTS, { default: 'created', description: `${SORTED}. \`requests\` needs \`owner\`` }) sort?: KeySort;
  @Time('A key that was never used counts as used when it was made') lastUsedBefore?: Date;
  @Time() expiresFrom?: Date;
  @Time() expiresBefore?: Date;
  @Field(cursorOfKeys) cursor?: string;
}

export class EventSearchQuery {
  @Field(ofAccount, { description: 'An account’s id, service:<name> or admin:<name>' }) actor?: string;
  @Field(ofAccount, { description: 'The id of the account that the events are about' }) account?: string;
  @Field(ofKey('must be the id of a key'), UUID, inLowerCase) key?: string;
  @Field(eventTypes, TYPES, typesIn) type?: OwnerEventType[];
  @Time() from?: Date;
  @Time('Exclusive') until?: Date;
  @Field(anyText) cursor?: string;
}

export class AccountQuery {
  @Field(accountQuery, { description: 'The id or the email of an account' }) query!: string;
}

export function readPage({ limit: size = PAGE_SIZE, cursor }: PageQuery): PageRequest {
  return { limit: size, cursor };
}

function typesIn(type: string): OwnerEventType[] {
  return type.split(',') as OwnerEventType[];
}

function inLowerCase(id: string): string {
  return id.toLowerCase();
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
