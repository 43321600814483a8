import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ReadKey } from '../../../../application/lists.js';
import { OPERATIONS } from '../../../../domain/keys/access.js';
import { DENIAL_REASONS } from '../../../../domain/keys/verdict.js';
import type { AddressUse, KeyHistory } from '../../../../domain/usage/key-history.js';
import { dayText } from '../../../../domain/time.js';
import { keyView } from '../../shared/key-view.js';
import { ApiKeyView, REFUSED } from './views.js';

const TIME = { type: String, format: 'date-time' } as const;
const USES = 'The last five addresses that it was granted or denied from within 90 days, newest first';
const SERVICE =
  'The service identity that last validated a request from this address; null for a proxy without an identity';
const FIRST_AT = 'Since when the address has been among the last five';
const LAST_AT = 'The last granted request; where all were denied, the last of them';
const LAST_DENIAL = 'The last denied request with the right secret from this address; absent where none was denied';
const DAYS = 'The days with requests among the last 90 in UTC, today included, oldest first; a missing day had none';

class DenialView {
  @ApiProperty(TIME) at!: string;
  @ApiProperty({ enum: DENIAL_REASONS }) reason!: string;
  @ApiProperty({ enum: OPERATIONS }) operation!: string;
  @ApiPropertyOptional({ description: 'What was asked for; absent where nothing was' }) permission?: string;
}

class AddressUseView {
  @ApiProperty() clientIp!: string;
  @ApiProperty({ type: String, nullable: true, description: SERVICE }) service!: string | null;
  @ApiProperty({ ...TIME, description: FIRST_AT }) firstAt!: string;
  @ApiProperty({ ...TIME, description: LAST_AT }) lastAt!: string;
  @ApiPropertyOptional({ type: DenialView, description: LAST_DENIAL }) lastDenial?: DenialView;
}

class DayCountView {
  @ApiProperty({ type: String, format: 'date' }) day!: string;
  @ApiProperty({ type: 'integer' }) granted!: number;
  @ApiProperty({ type: 'integer', description: REFUSED }) refused!: number;
}

/** A key as in the list, with its usage. */
export class ApiKeyHistoryView extends ApiKeyView {
  @ApiProperty({ type: [AddressUseView], description: USES }) uses!: AddressUseView[];
  @ApiProperty({ type: [DayCountView], description: DAYS }) days!: DayCountView[];
}

export function keyHistoryView(read: ReadKey & KeyHistory): ApiKeyHistoryView {
  const uses = read.uses.map(({ clientIp, service, firstAt, lastAt, lastDenial }) => ({
    clientIp,
    service,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    ...(lastDenial && { lastDenial: denialView(lastDenial) }),
  }));
  const days = read.days.map(({ day, granted, refused }) => ({ day: dayText(day), granted, refused }));
  return { ...keyView(read, read.now), uses, days };
}

function denialView({ at, reason, operation, permission }: NonNullable<AddressUse['lastDenial']>): DenialView {
  return { at: at.toISOString(), reason, operation, ...(permission && { permission }) };
}
