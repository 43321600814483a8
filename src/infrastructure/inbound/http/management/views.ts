import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { KeysOfOwner } from '../../../../application/keys/keys-of-owner.js';
import type { LeakSite } from '../../../../domain/audit/event-details.js';
import { ACCESS_LEVELS } from '../../../../domain/accounts/access-level.js';
import { MAX_ACTIVE_KEYS, MAX_KEY_DAYS } from '../../../../domain/accounts/account-limits.js';
import { API_KEY_STATUSES } from '../../../../domain/keys/key-status.js';
import { MAX_NOTE_LENGTH } from '../../../../domain/keys/key-rules.js';
import { RECENT_DAYS } from '../../../../domain/usage/key-history.js';
import { keyView } from '../../shared/key-view.js';

/** The schemas of answers. Answers are built field by field, so that a new column never leaks by itself. */

const TIME = { type: String, format: 'date-time' } as const;
const TIME_OR_NULL = { ...TIME, nullable: true } as const;
const ID_OR_NULL = { type: String, format: 'uuid', nullable: true } as const;
const TEXT_OR_NULL = { type: String, nullable: true } as const;

/** What the counts of refused requests count. */
export const REFUSED = 'Requests with the right key that were answered 401, 403 or 429';
const RECENT = 'One number for each of the last 30 days in UTC, oldest first, today last';

const LEAK = {
  type: 'object',
  nullable: true,
  description: 'Of a key that was reported as leaked: where it was found, according to the report',
  required: ['source', 'url'],
  properties: {
    source: { type: 'string', nullable: true, description: 'Who or what found it' },
    url: { type: 'string', nullable: true, description: 'Text that a stranger may have written: do not follow it' },
  },
  additionalProperties: false,
} as const;
/** For a property of a schema. */
export const LEAK_SCHEMA = { ...LEAK, required: [...LEAK.required], selfRequired: true };

const COUNTS = {
  type: 'array',
  items: { type: 'integer' },
  minItems: RECENT_DAYS,
  maxItems: RECENT_DAYS,
} as const;

class RecentUseView {
  @ApiProperty(COUNTS) granted!: number[];
  @ApiProperty({ ...COUNTS, description: REFUSED }) refused!: number[];
}

const REASON =
  'Of a revoked key: owner, administrator, platform, rotated, leaked, purged or idle; null where the audit trail has none';

const TEXTS_OR_NULL = { type: 'array', items: { type: 'string' }, nullable: true } as const;
const ACCESS = "The lower of the key's own level and its account's ceiling";
const PERMISSIONS = 'What the key was limited to when it was made; null: all that its owner has';
const NETWORKS = 'The CIDR ranges that requests must come from; null: any address';

const MAKER = 'The account that made the key: its owner, or a manager of a service account';

const IDLE_ENDS = 'When the key ends unless it is used; null unless its owner was notified of that';
const REVOKE_IDLE = 'After how many days without use keys are revoked; null: they are not';
const LIMITED_BY =
  "Which of the values the account's own limits set, by name: the rest is the service's. Names may be added";

const GRACE = 'Of a key that replaces another: how long the old key stays valid after the first use of this one';

export class PersonView {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'Empty where it is not known' }) displayName!: string;
}

class MakerView extends PersonView {
  @ApiProperty({ description: 'A manager who is none any more, and knows the key string' }) isFormerManager!: boolean;
}

/** A schema by reference can't be null. */
export const PERSON_OR_NULL = {
  type: 'object',
  nullable: true,
  required: ['id', 'displayName'],
  selfRequired: true,
  properties: { id: { type: 'string' }, displayName: { type: 'string', description: 'Empty where it is not known' } },
  additionalProperties: false,
} as const satisfies ApiPropertyOptions;

export class ApiKeyView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ ...TEXT_OR_NULL, maxLength: MAX_NOTE_LENGTH }) note!: string | null;
  @ApiProperty({ enum: ACCESS_LEVELS, description: ACCESS }) access!: string;
  @ApiProperty({ ...TEXTS_OR_NULL, description: PERMISSIONS }) permissions!: string[] | null;
  @ApiProperty({ ...TEXTS_OR_NULL, description: NETWORKS }) allowedNetworks!: string[] | null;
  @ApiProperty({ description: 'The beginning of the key string, to recognise it by' }) prefix!: string;
  @ApiProperty(TIME) createdAt!: string;
  @ApiProperty({ type: MakerView, description: MAKER }) createdBy!: MakerView;
  @ApiProperty(TIME_OR_NULL) lastUsedAt!: string | null;
  @ApiProperty(TIME) expiresAt!: string;
  @ApiProperty(TIME_OR_NULL) revokedAt!: string | null;
  @ApiProperty({ enum: API_KEY_STATUSES }) status!: string;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that this one is to replace' }) replaces!: string | null;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that is to replace this one' }) replacedBy!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'When the key ends because its successor is in use' })
  endsAt!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: GRACE }) graceSeconds!: number | null;
  @ApiProperty({ ...TIME_OR_NULL, description: IDLE_ENDS }) idleEndsAt!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: REASON }) revokedReason!: string | null;
  @ApiProperty(LEAK_SCHEMA) leak!: LeakSite | null;
  @ApiProperty({ type: RecentUseView, description: RECENT }) recent!: RecentUseView;
}

/** For programs whose own clock may be wrong. */
export const NOW = { ...TIME, description: 'The time of the service' } as const;

class KeyPolicyView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_ACTIVE_KEYS }) maxActiveKeys!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_KEY_DAYS }) maxKeyDays!: number;
  @ApiProperty({ enum: ACCESS_LEVELS }) maxAccess!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: REVOKE_IDLE }) revokeIdleAfterDays!: number | null;
  @ApiProperty({ type: [String], description: LIMITED_BY }) limitedByAccount!: string[];
}

export class ApiKeyListView {
  @ApiProperty({ type: [ApiKeyView] }) items!: ApiKeyView[];
  @ApiProperty({ type: 'integer' }) activeKeys!: number;
  @ApiProperty({ type: 'integer', description: 'The same as in `policy`' }) maxActiveKeys!: number;
  @ApiProperty({ type: KeyPolicyView, description: 'What is allowed for new keys' }) policy!: KeyPolicyView;
  @ApiProperty(TEXT_OR_NULL) nextCursor!: string | null;
  @ApiProperty(NOW) now!: string;
}

export function keyListView({ items, activeKeys, policy, nextCursor, now }: KeysOfOwner): ApiKeyListView {
  const views = items.map((listed) => keyView(listed, now));
  const { maxActiveKeys, maxKeyDays, maxAccess, revokeIdleAfterDays = null } = policy;
  const limitedByAccount = [...policy.limitedByAccount];
  const shown = { maxActiveKeys, maxKeyDays, maxAccess, revokeIdleAfterDays, limitedByAccount };
  return { items: views, activeKeys, maxActiveKeys, policy: shown, nextCursor, now: now.toISOString() };
}

export class CreatedApiKeyView {
  @ApiProperty({ type: ApiKeyView }) apiKey!: ApiKeyView;
  @ApiProperty({ description: 'The whole key string; this is the only time it is shown' }) fullKey!: string;
  @ApiProperty(NOW) now!: string;
}

export class RotatedApiKeyView {
  @ApiProperty({ type: ApiKeyView, description: 'The new key' }) apiKey!: ApiKeyView;
  @ApiProperty({ type: ApiKeyView, description: 'The key that it is to replace' }) replaced!: ApiKeyView;
  @ApiProperty({ description: 'The whole key string of the new key; this is the only time it is shown' })
  fullKey!: string;
  @ApiProperty(NOW) now!: string;
}
