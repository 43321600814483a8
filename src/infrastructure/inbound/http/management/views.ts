import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { CONFIRMATION_KINDS } from '#application/sessions/confirmation.js';
import { ACCOUNT_STATUSES } from '#domain/accounts/account.js';
import { ACCOUNT_KINDS } from '#domain/accounts/account-profile.js';
import { OWNER_EVENT_TYPES } from '#domain/audit/audit-event.js';
import { DENIAL_REASONS, OPERATIONS } from '#domain/keys/verdict.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import { MAX_ACTIVE_KEYS, MAX_KEY_DAYS } from '#domain/accounts/entitlements.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '#domain/keys/key-status.js';
import { MAX_NOTE_LENGTH } from '#domain/keys/key-rules.js';
import { COULD_NARROW, type CouldNarrow } from '#domain/usage/narrower.js';
import { RECENT_DAYS } from '#domain/usage/key-history.js';

/**
 * The schemas of answers. The settings screen imports their types, and its package contains them: so they name only types
 * of the domain that stand alone.
 */

const TIME = { type: String, format: 'date-time' } as const;
const TIME_OR_NULL = { ...TIME, nullable: true } as const;
const ID_OR_NULL = { type: String, format: 'uuid', nullable: true } as const;
const TEXT_OR_NULL = { type: String, nullable: true } as const;

/** What the counts of refused requests count. */
const REFUSED = 'Requests with the right key that were answered 401, 403 or 429';
const RECENT = 'One number for each of the last 30 days in UTC, oldest first, today last';

interface LeakView {
  source: string | null;
  url: string | null;
}

const LEAK_OR_NULL = {
  type: 'object',
  nullable: true,
  selfRequired: true,
  description: 'Of a key that was reported as leaked: where it was found, according to the report',
  required: ['source', 'url'],
  properties: {
    source: { type: 'string', nullable: true, description: 'Who or what found it' },
    url: { type: 'string', nullable: true, description: 'Text that a stranger may have written: do not follow it' },
  },
  additionalProperties: false,
} as const satisfies ApiPropertyOptions;

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

const HANDLED = 'Marks of what needed attention and was handled, see `POST /v1/api-keys/{id}/handled`; newest last';

const IDLE_ENDS = 'When the key ends unless it is used; null unless its owner was notified of that';
const NARROWER =
  'What an active key could be limited to, by the record of at least 30 days: some of its permissions, or those to read';
const REVOKE_IDLE = 'After how many days without use keys are revoked; null: they are not';
const LIMITED_BY =
  "Which of the values the account's own limits set, by name: the rest is the service's. Names may be added";

const GRACE = 'Of a key that replaces another: how long the old key stays valid after the first use of this one';

export class SessionView {
  @ApiProperty() ownerId!: string;
  @ApiProperty() email!: string;
  @ApiProperty() displayName!: string;
  @ApiProperty(TIME) expiresAt!: string;
  @ApiProperty({ enum: CONFIRMATION_KINDS, description: 'What confirms the creation of a key' }) confirmation!:
    | 'password'
    | 'fresh-sign-in';
  @ApiProperty({ type: [Number], description: 'How many days before a key expires its owner gets a mail' })
  expiryNoticeDays!: readonly number[];
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The address of this request; null if the service is not sure of it' })
  clientIp!: string | null;
  @ApiProperty({ description: 'Whether the person sees the keys of all owners' })
  isAdministrator!: boolean;
}

export class SignedOutView {
  @ApiProperty({ format: 'uri', description: 'Ends the session at the OpenID provider: see OIDC_SIGN_OUT' })
  signOutUrl!: string;
}

export class PersonView {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'Empty where it is not known' }) displayName!: string;
}

class MakerView extends PersonView {
  @ApiProperty({ description: 'A manager who has left or is suspended, and knows the key string' })
  isFormerManager!: boolean;
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
  @ApiProperty({ enum: ACCESS_LEVELS, description: ACCESS }) access!: AccessLevel;
  @ApiProperty({ ...TEXTS_OR_NULL, description: PERMISSIONS }) permissions!: string[] | null;
  @ApiProperty({ ...TEXTS_OR_NULL, description: NETWORKS }) allowedNetworks!: string[] | null;
  @ApiProperty({ description: 'The beginning of the key string, to recognise it by' }) prefix!: string;
  @ApiProperty(TIME) createdAt!: string;
  @ApiProperty({ type: MakerView, description: MAKER }) createdBy!: MakerView;
  @ApiProperty(TIME_OR_NULL) lastUsedAt!: string | null;
  @ApiProperty(TIME) expiresAt!: string;
  @ApiProperty(TIME_OR_NULL) revokedAt!: string | null;
  @ApiProperty({ enum: API_KEY_STATUSES }) status!: ApiKeyStatus;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Of a paused key, which is denied: when it works again' }) pausedUntil!:
    | string
    | null;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that this one is to replace' }) replaces!: string | null;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that is to replace this one' }) replacedBy!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'When the key ends because its successor is in use' })
  endsAt!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: GRACE }) graceSeconds!: number | null;
  @ApiProperty({ ...TIME_OR_NULL, description: IDLE_ENDS }) idleEndsAt!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: REASON }) revokedReason!: string | null;
  @ApiProperty(LEAK_OR_NULL) leak!: LeakView | null;
  @ApiProperty({ ...TEXT_OR_NULL, enum: [...COULD_NARROW, null], description: NARROWER })
  couldNarrow!: CouldNarrow | null;
  @ApiProperty({ type: RecentUseView, description: RECENT }) recent!: RecentUseView;
  @ApiProperty({ type: [String], description: HANDLED }) handled!: string[];
}

/** For programs whose own clock may be wrong. */
const NOW = { ...TIME, description: 'The time of the service' } as const;

export class PageView {
  @ApiProperty(TEXT_OR_NULL) nextCursor!: string | null;
  @ApiProperty(NOW) now!: string;
}

class KeyPolicyView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_ACTIVE_KEYS }) maxActiveKeys!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_KEY_DAYS }) maxKeyDays!: number;
  @ApiProperty({ enum: ACCESS_LEVELS }) maxAccess!: AccessLevel;
  @ApiProperty({ description: 'Whether keys can be created and rotated' }) newKeys!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: REVOKE_IDLE }) revokeIdleAfterDays!: number | null;
  @ApiProperty({ type: [String], description: LIMITED_BY }) limitedByAccount!: string[];
}

export class ApiKeyListView extends PageView {
  @ApiProperty({ type: [ApiKeyView] }) items!: ApiKeyView[];
  @ApiProperty({ type: 'integer', description: 'Of all pages; the two keys of a rotation count as one' })
  activeKeys!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages' }) endedKeys!: number;
  @ApiProperty({ type: 'integer', description: 'The same as in `policy`' }) maxActiveKeys!: number;
  @ApiProperty({ type: KeyPolicyView, description: 'What is allowed for new keys' }) policy!: KeyPolicyView;
}

export class PermissionsView {
  @ApiProperty({ type: [String], description: 'What the owner may give a key: these, and what they cover' })
  items!: string[];
  @ApiProperty({ enum: ACCESS_LEVELS, description: 'The highest access level that the owner may give' })
  maxAccess!: AccessLevel;
}

export class CreatedApiKeyView {
  @ApiProperty({ type: ApiKeyView }) apiKey!: ApiKeyView;
  @ApiProperty({ description: 'The whole key string; this is the only time it is shown' }) fullKey!: string;
  @ApiProperty(NOW) now!: string;
}

export class RotatedApiKeyView extends CreatedApiKeyView {
  @ApiProperty({ type: ApiKeyView, description: 'The key that it is to replace' }) replaced!: ApiKeyView;
}

const USES = 'The last five addresses that it was granted or denied from within 90 days, newest first';
const SERVICE =
  'The service identity that last validated a request from this address; null for a proxy without an identity';
const FIRST_AT = 'Since when the address has been among the last five';
const LAST_AT = 'The last granted request; where all were denied, the last of them';
const LAST_DENIAL = 'The last denied request with the right secret from this address; absent where none was denied';
const DAYS = 'The days with requests among the last 90 in UTC, today included, oldest first; a missing day had none';

export class DenialView {
  @ApiProperty(TIME) at!: string;
  @ApiProperty({ enum: DENIAL_REASONS }) reason!: string;
  @ApiProperty({ enum: OPERATIONS }) operation!: string;
  @ApiPropertyOptional({ description: 'What was asked for; absent where nothing was' }) permission?: string;
}

class AddressUseView {
  @ApiProperty() clientIp!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: SERVICE }) service!: string | null;
  @ApiProperty({ ...TIME, description: FIRST_AT }) firstAt!: string;
  @ApiProperty({ ...TIME, description: LAST_AT }) lastAt!: string;
  @ApiPropertyOptional({ type: DenialView, description: LAST_DENIAL }) lastDenial?: DenialView;
}

class DayCountView {
  @ApiProperty({ type: String, format: 'date' }) day!: string;
  @ApiProperty({ type: 'integer' }) granted!: number;
  @ApiProperty({ type: 'integer', description: REFUSED }) refused!: number;
}

const PERMISSION_USED =
  'The permission of the key that covered the requests. Empty: they asked for none, see `operation`. `unknown`: a report of ' +
  'uses did not say. `other`: all permissions beyond the first hundred';

class PermissionUseView {
  @ApiProperty({ description: PERMISSION_USED }) permission!: string;
  @ApiPropertyOptional({ enum: OPERATIONS }) operation?: string;
  @ApiProperty({ type: String, format: 'date' }) firstDay!: string;
  @ApiProperty({ type: String, format: 'date' }) lastDay!: string;
  @ApiProperty({ type: 'integer' }) count!: number;
}

const PERMISSION_USE =
  'By which permissions requests were granted, by it and by the keys that it replaced, most used first';

/** A key as in the list, with its usage. */
export class ApiKeyHistoryView extends ApiKeyView {
  @ApiProperty({ type: [AddressUseView], description: USES }) uses!: AddressUseView[];
  @ApiProperty({ type: [DayCountView], description: DAYS }) days!: DayCountView[];
  @ApiProperty({ type: [PermissionUseView], description: PERMISSION_USE }) permissionUse!: PermissionUseView[];
  @ApiProperty({ type: String, format: 'date', description: 'Since when it is recorded' }) permissionUseSince!: string;
}

export class ManagedAccountView {
  @ApiProperty() id!: string;
  @ApiProperty() displayName!: string;
  @ApiProperty({ enum: ACCOUNT_KINDS }) kind!: 'person' | 'service';
  @ApiProperty({ enum: ACCOUNT_STATUSES }) status!: 'active' | 'suspended' | 'deleted';
}

export class ManagedAccountListView {
  @ApiProperty({ type: [ManagedAccountView], description: 'The person first' }) items!: ManagedAccountView[];
}

const EVENT_REASON =
  'Of a revocation: owner, administrator, platform, rotated, leaked, purged or idle; null in events from before reasons ' +
  'were recorded. Of a failed authentication: why it was refused';

const PREVIOUS_NAME = 'Of a key that was renamed: what it was called before; null if only its note changed';

const ACTOR =
  'The account that did it, for example a manager of a service account; null for everybody else. Addresses of other ' +
  'people are not shown';

export class AuditEventView {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: OWNER_EVENT_TYPES }) type!: string;
  @ApiProperty(TIME) at!: string;
  @ApiProperty(TEXT_OR_NULL) keyId!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: EVENT_REASON }) reason!: string | null;
  @ApiProperty({ type: 'integer', description: 'How many identical events this one stands for' }) count!: number;
  @ApiProperty(TEXT_OR_NULL) clientIp!: string | null;
  @ApiProperty(TEXT_OR_NULL) userAgent!: string | null;
  @ApiProperty(TEXT_OR_NULL) requestId!: string | null;
  @ApiProperty(LEAK_OR_NULL) leak!: LeakView | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: PREVIOUS_NAME }) previousName!: string | null;
  @ApiProperty({ ...PERSON_OR_NULL, description: ACTOR }) actor!: PersonView | null;
}

export class AuditEventListView extends PageView {
  @ApiProperty({ type: [AuditEventView] }) items!: AuditEventView[];
}
