import { ApiProperty } from '@nestjs/swagger';
import type { ReadKey } from '../../../../application/lists.js';
import type { AddressUse, DayCount, KeyHistory } from '../../../../domain/usage/key-history.js';
import { dayText } from '../../../../domain/usage/utc-day.js';
import { ApiKeyView } from './views.js';

const TIME = { type: String, format: 'date-time' } as const;
const USES = 'The last five addresses that it was granted from within 90 days, newest first';
const SERVICE =
  'The name of the service identity that asked last for a request from there; null where a proxy without one did';
const FIRST_AT = 'Since when the address is among the last five';
const DAYS =
  'Of the last 90 days in UTC, today included, those with requests; oldest first. A day that is missing had none';
const REFUSED = 'Requests with the right key that were answered 401, 403 or 429';

class AddressUseView {
  @ApiProperty() clientIp: string;
  @ApiProperty({ type: String, nullable: true, description: SERVICE }) service: string | null;
  @ApiProperty({ ...TIME, description: FIRST_AT }) firstAt: string;
  @ApiProperty(TIME) lastAt: string;

  constructor({ clientIp, service, firstAt, lastAt }: AddressUse) {
    this.clientIp = clientIp;
    this.service = service;
    this.firstAt = firstAt.toISOString();
    this.lastAt = lastAt.toISOString();
  }
}

class DayCountView {
  @ApiProperty({ type: String, format: 'date' }) day: string;
  @ApiProperty({ type: 'integer' }) granted: number;
  @ApiProperty({ type: 'integer', description: REFUSED }) refused: number;

  constructor({ day, granted, refused }: DayCount) {
    this.day = dayText(day);
    this.granted = granted;
    this.refused = refused;
  }
}

/** A key as in the list, with its usage. */
export class ApiKeyHistoryView extends ApiKeyView {
  @ApiProperty({ type: [AddressUseView], description: USES }) uses: AddressUseView[];
  @ApiProperty({ type: [DayCountView], description: DAYS }) days: DayCountView[];

  constructor(read: ReadKey & KeyHistory) {
    super(read, read.now);
    this.uses = read.uses.map((use) => new AddressUseView(use));
    this.days = read.days.map((count) => new DayCountView(count));
  }
}
