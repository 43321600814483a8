import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACCESS_LEVELS, accessProblem, type AccessLevel } from '../../../../domain/keys/access.js';
import {
  DEFAULT_EXPIRY_DAYS,
  expiryDaysProblem,
  keyNameProblem,
  MAX_EXPIRY_DAYS,
  MAX_NAME_LENGTH,
} from '../../../../domain/keys/key-rules.js';
import { Follows, optional, textProblem } from '../pipeline/rules.js';

const MAX_EMAIL = 254;
const MAX_PASSWORD = 1024;

export class SignInBody {
  @ApiProperty({ maxLength: MAX_EMAIL })
  @Follows(emailProblem)
  email!: string;

  @ApiProperty({ format: 'password', maxLength: MAX_PASSWORD })
  @Follows(textProblem(MAX_PASSWORD))
  password!: string;
}

/** PostgreSQL takes no NUL in text, and no account has an email with a control character. */
function emailProblem(value: unknown): string | undefined {
  const problem = textProblem(MAX_EMAIL)(value);
  return problem ?? (/\p{Cc}/u.test(value as string) ? 'must not contain control characters' : undefined);
}

export class CreateApiKeyBody {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Without control characters' })
  @Follows(keyNameProblem)
  name!: string;

  @ApiProperty({ enum: ACCESS_LEVELS })
  @Follows(accessProblem)
  access!: AccessLevel;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_EXPIRY_DAYS, default: DEFAULT_EXPIRY_DAYS })
  @Follows(optional(expiryDaysProblem))
  expiresInDays?: number;

  @ApiProperty({ format: 'password', maxLength: MAX_PASSWORD, description: "The owner's current password" })
  @Follows(textProblem(MAX_PASSWORD))
  password!: string;
}
