import { MAX_KEY_DAYS } from '#domain/accounts/entitlements.js';
import { MAX_EMAIL_LENGTH } from '#domain/accounts/account-profile.js';
import { MAX_PASSWORD_LENGTH, passwordProblem } from '#domain/accounts/passwords.js';
import { optional } from '#domain/errors.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import {
  DEFAULT_EXPIRY_DAYS,
  DEFAULT_GRACE_SECONDS,
  HANDLED_MARK,
  isKeyId,
  handledMarkProblem,
  KEY_FIELDS,
  MAX_GRACE_SECONDS,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  RENAMING_FIELDS,
  ROTATION_FIELDS,
} from '#domain/keys/key-rules.js';
import { MAX_PAUSE_MINUTES, PAUSE_FIELDS } from '#domain/keys/key-status.js';
import { MAX_ALLOWED_NETWORKS } from '#domain/keys/allowed-networks.js';
import { MAX_KEY_PERMISSIONS } from '#domain/keys/key-restrictions.js';
import { Field, plainTextRule, text } from '../pipeline/fields.js';

export class SignInBody {
  @Field(plainTextRule(MAX_EMAIL_LENGTH), { maxLength: MAX_EMAIL_LENGTH })
  email!: string;

  @Field(text(passwordProblem), { format: 'password', maxLength: MAX_PASSWORD_LENGTH })
  password!: string;
}

const DAYS = { type: 'integer', minimum: 1, maximum: MAX_KEY_DAYS } as const;
const LIST_OF_PERMISSIONS = { type: [String] as [typeof String], minItems: 1, maxItems: MAX_KEY_PERMISSIONS };

const CONFIRMING_PASSWORD = {
  format: 'password',
  maxLength: MAX_PASSWORD_LENGTH,
  description: "The owner's current password, if `confirmation` of the session is `password`",
} as const;

const PERMISSIONS =
  'Limits the key to these, such as `systems:read` or `systems/42:read`. Each must be covered by GET /v1/permissions ' +
  'and by the access level. Without it the key may do what its owner may';
const NETWORKS =
  'CIDR ranges that requests must come from, such as 203.0.113.0/24 or 2001:db8::/32. Bits after the length are ' +
  'cleared. Without it any address will do';

const NARROWER_ACCESS = "Not higher than the old key's. A lower level drops its permissions to write";

/** Of a change that people confirm. */
export class ConfirmedBody {
  @Field(optional(text(passwordProblem)), CONFIRMING_PASSWORD)
  password?: string;
}

export class CreateApiKeyBody extends ConfirmedBody {
  @Field(KEY_FIELDS.name, { minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Without control characters' })
  name!: string;

  @Field(KEY_FIELDS.note, { maxLength: MAX_NOTE_LENGTH, description: 'One line, such as what the key is for' })
  note?: string;

  @Field(KEY_FIELDS.access, { enum: ACCESS_LEVELS, description: 'At most `maxAccess` of GET /v1/permissions' })
  access!: AccessLevel;

  @Field(optional(KEY_FIELDS.expiresInDays), {
    ...DAYS,
    description: `At most \`maxKeyDays\` of the policy in GET /v1/api-keys. Default: ${DEFAULT_EXPIRY_DAYS}, or fewer by policy`,
  })
  expiresInDays?: number;

  @Field(KEY_FIELDS.permissions, { ...LIST_OF_PERMISSIONS, description: PERMISSIONS })
  permissions?: readonly string[];

  @Field(KEY_FIELDS.allowedNetworks, {
    type: [String],
    minItems: 1,
    maxItems: MAX_ALLOWED_NETWORKS,
    description: NETWORKS,
  })
  allowedNetworks?: readonly string[];
}

export class RenameApiKeyBody {
  @Field(RENAMING_FIELDS.name, { minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Without control characters' })
  name?: string;

  @Field(RENAMING_FIELDS.note, { maxLength: MAX_NOTE_LENGTH, description: 'One line; an empty text removes the note' })
  note?: string;
}

export class RotateApiKeyBody extends ConfirmedBody {
  @Field(ROTATION_FIELDS.expiresInDays, {
    ...DAYS,
    description:
      'At most `maxKeyDays` of the policy. Default: as many days as the old key was given, or fewer by policy',
  })
  expiresInDays?: number;

  @Field(ROTATION_FIELDS.access, { enum: ACCESS_LEVELS, description: NARROWER_ACCESS })
  access?: AccessLevel;

  @Field(ROTATION_FIELDS.permissions, {
    ...LIST_OF_PERMISSIONS,
    description:
      "Each must be covered by the old key's, by the account's and by the access level. Default: the old key's",
  })
  permissions?: readonly string[];

  @Field(ROTATION_FIELDS.allowedNetworks, {
    type: [String],
    maxItems: MAX_ALLOWED_NETWORKS,
    description: "Each inside one of the old key's, or any where it had none. Default: the old key's",
  })
  allowedNetworks?: readonly string[];

  @Field(optional(ROTATION_FIELDS.graceSeconds), {
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: DEFAULT_GRACE_SECONDS,
    description: 'How long the old key stays valid after the first use of the new one',
  })
  graceSeconds?: number;

  @Field(ROTATION_FIELDS.leaked, {
    type: Boolean,
    default: false,
    description: 'The old key leaked: it ends at once, with the reason `leaked`. Not with `graceSeconds` above 0',
  })
  leaked?: boolean;
}

export class PauseApiKeyBody {
  @Field(PAUSE_FIELDS.minutes, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAUSE_MINUTES,
    description: 'The key works again by itself after that. A running pause only gets longer',
  })
  minutes!: number;
}

export class HandledBody {
  @Field(handledMarkProblem, {
    pattern: HANDLED_MARK.source,
    description: 'What was handled, such as `expired 2026-11-27`',
  })
  mark!: string;
}

export class RevokeAnyKeyBody {
  @Field(KEY_FIELDS.note, { maxLength: MAX_NOTE_LENGTH, description: 'One line for the audit trail, such as why' })
  note?: string;

  @Field(optional(text(passwordProblem)), {
    ...CONFIRMING_PASSWORD,
    description: "The administrator's current password, if `confirmation` of the session is `password`",
  })
  password?: string;
}

const MAX_KEYS_AT_ONCE = 100;

function keyIdsProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  const areIds = Array.isArray(value) && value.every((each) => typeof each === 'string' && isKeyId(each.toLowerCase()));
  if (!areIds) return 'must be a list of ids of keys';
  const isSized = value.length >= 1 && value.length <= MAX_KEYS_AT_ONCE;
  return isSized ? undefined : `must have 1 to ${MAX_KEYS_AT_ONCE} ids`;
}

export class RevokeSeveralKeysBody extends RevokeAnyKeyBody {
  @Field(keyIdsProblem, { type: [String], minItems: 1, maxItems: MAX_KEYS_AT_ONCE, description: 'The ids of keys' })
  ids!: readonly string[];
}
