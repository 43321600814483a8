import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_KEY_DAYS } from '#domain/accounts/account-limits.js';
import { MAX_EMAIL_LENGTH } from '#domain/accounts/account-profile.js';
import { MAX_PASSWORD_LENGTH, passwordProblem } from '#domain/accounts/passwords.js';
import { optional } from '#domain/errors.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import {
  DEFAULT_EXPIRY_DAYS,
  DEFAULT_GRACE_SECONDS,
  KEY_FIELDS,
  MAX_GRACE_SECONDS,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  RENAMING_FIELDS,
  ROTATION_FIELDS,
} from '#domain/keys/key-rules.js';
import { MAX_ALLOWED_NETWORKS } from '#domain/keys/allowed-networks.js';
import { MAX_KEY_PERMISSIONS } from '#domain/keys/key-restrictions.js';
import { Follows, plainTextRule, text } from '../pipeline/body-parsing.js';

export class SignInBody {
  @ApiProperty({ maxLength: MAX_EMAIL_LENGTH })
  @Follows(plainTextRule(MAX_EMAIL_LENGTH))
  email!: string;

  @ApiProperty({ format: 'password', maxLength: MAX_PASSWORD_LENGTH })
  @Follows(text(passwordProblem))
  password!: string;
}

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

export class CreateApiKeyBody {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Without control characters' })
  @Follows(KEY_FIELDS.name)
  name!: string;

  @ApiPropertyOptional({ maxLength: MAX_NOTE_LENGTH, description: 'One line, such as what the key is for' })
  @Follows(KEY_FIELDS.note)
  note?: string;

  @ApiProperty({ enum: ACCESS_LEVELS, description: 'At most `maxAccess` of GET /v1/permissions' })
  @Follows(KEY_FIELDS.access)
  access!: AccessLevel;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_KEY_DAYS,
    description: `At most \`maxKeyDays\` of the policy in GET /v1/api-keys. Default: ${DEFAULT_EXPIRY_DAYS}, or fewer by policy`,
  })
  @Follows(optional(KEY_FIELDS.expiresInDays))
  expiresInDays?: number;

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: MAX_KEY_PERMISSIONS, description: PERMISSIONS })
  @Follows(KEY_FIELDS.permissions)
  permissions?: readonly string[];

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: MAX_ALLOWED_NETWORKS, description: NETWORKS })
  @Follows(KEY_FIELDS.allowedNetworks)
  allowedNetworks?: readonly string[];

  @ApiPropertyOptional(CONFIRMING_PASSWORD)
  @Follows(optional(text(passwordProblem)))
  password?: string;
}

export class RenameApiKeyBody {
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Without control characters' })
  @Follows(RENAMING_FIELDS.name)
  name?: string;

  @ApiPropertyOptional({ maxLength: MAX_NOTE_LENGTH, description: 'One line; an empty text removes the note' })
  @Follows(RENAMING_FIELDS.note)
  note?: string;
}

export class RotateApiKeyBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_KEY_DAYS,
    description:
      'At most `maxKeyDays` of the policy. Default: as many days as the old key was given, or fewer by policy',
  })
  @Follows(ROTATION_FIELDS.expiresInDays)
  expiresInDays?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: DEFAULT_GRACE_SECONDS,
    description: 'How long the old key stays valid after the first use of the new one',
  })
  @Follows(optional(ROTATION_FIELDS.graceSeconds))
  graceSeconds?: number;

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'The old key leaked: it ends at once, with the reason `leaked`. Not with `graceSeconds` above 0',
  })
  @Follows(ROTATION_FIELDS.leaked)
  leaked?: boolean;

  @ApiPropertyOptional(CONFIRMING_PASSWORD)
  @Follows(optional(text(passwordProblem)))
  password?: string;
}

export class RevokeAnyKeyBody {
  @ApiPropertyOptional({ maxLength: MAX_NOTE_LENGTH, description: 'One line for the audit trail, such as why' })
  @Follows(KEY_FIELDS.note)
  note?: string;

  @ApiPropertyOptional({
    ...CONFIRMING_PASSWORD,
    description: "The administrator's current password, if `confirmation` of the session is `password`",
  })
  @Follows(optional(text(passwordProblem)))
  password?: string;
}
