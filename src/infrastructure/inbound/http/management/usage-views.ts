import { ApiProperty } from '@nestjs/swagger';
import type { ReadKey } from '../../../../application/lists.js';
import type { KeyHistory } from '../../../../domain/usage/key-history.js';
import { dayText } from '../../../../domain/usage/utc-day.js';
import { keyView } from '../../shared/key-view.js';
import { ApiKeyView, REFUSED } from './views.js';

const TIME = { type: String, format: 'date-time' } as const;
const USES = 'The last five addresses that it was granted from within 90 days, newest first';
const SERVICE =
  'The service identity that last validated a request from this address; null for a proxy without an identity';
const FIRST_AT = 'Since when the address has been among the last five';
const DAYS = 'The days with requests among the last 90 in UTC, today included, oldest first; a missing day had none';

class AddressUseView {
  @ApiProperty() clientIp!: string;
  @ApiProperty({ type: String, nullable: true, description: SERVICE }) service!: string | null;
  @ApiProperty({ ...TIME, description: FIRST_AT }) firstAt!: string;
  @ApiProperty(TIME) lastAt!: string;
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
  const uses = read.uses.map(({ clientIp, service, firstAt, lastAt }) => {
    return { clientIp, service, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
  });
  const days = read.days.map(({ day, granted, refused }) => ({ day: dayText(day), granted, refused }));
  return { ...keyView(read, read.now), uses, days };
}
