import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiQuery, type ApiQueryOptions, ApiTags } from '@nestjs/swagger';
import { ListAuditEvents } from '../../../../application/audit/list-audit-events.js';
import { OWNER_EVENT_TYPES, type RecordedEvent } from '../../../../domain/audit/audit-event.js';
import type { LeakSite } from '../../../../domain/audit/event-details.js';
import { OF_ACCOUNT, ProblemResponses } from '../pipeline/openapi.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { leakView } from '../../shared/key-view.js';
import { actingIn, ForKeysOfAccount } from './guards.js';
import { type Query as ListQuery, readEventFilter, readPage } from './queries.js';
import { LEAK_SCHEMA, NOW, PERSON_OR_NULL, type PersonView } from './views.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;

const REASON =
  'Of a revocation: owner, administrator, platform, rotated, leaked or purged; null in events from before reasons were ' +
  'recorded. Of a failed authentication: why it was refused';

const PREVIOUS_NAME = 'Of a key that was renamed: what it was called before; null if only its note changed';

const ACTOR =
  'The account that did it, for example a manager of a service account; null for everybody else. Addresses of other ' +
  'people are not shown';

export class AuditEventView {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: OWNER_EVENT_TYPES }) type!: string;
  @ApiProperty({ type: String, format: 'date-time' }) at!: string;
  @ApiProperty(TEXT_OR_NULL) keyId!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: REASON }) reason!: string | null;
  @ApiProperty({ type: 'integer', description: 'How many identical events this one stands for' }) count!: number;
  @ApiProperty(TEXT_OR_NULL) clientIp!: string | null;
  @ApiProperty(TEXT_OR_NULL) userAgent!: string | null;
  @ApiProperty(TEXT_OR_NULL) requestId!: string | null;
  @ApiProperty(LEAK_SCHEMA) leak!: LeakSite | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: PREVIOUS_NAME }) previousName!: string | null;
  @ApiProperty({ ...PERSON_OR_NULL, description: ACTOR }) actor!: PersonView | null;
}

export function eventView(event: RecordedEvent): AuditEventView {
  const { id, type, at, keyId, reason, count, clientIp, userAgent, requestId, leak, previousName, actor } = event;
  return {
    id,
    type,
    at: at.toISOString(),
    keyId,
    reason,
    count,
    clientIp,
    userAgent,
    requestId,
    leak: leak && leakView(leak),
    previousName,
    actor: actor && { id: actor.id, displayName: actor.displayName },
  };
}

class AuditEventListView {
  @ApiProperty({ type: [AuditEventView] }) items!: AuditEventView[];
  @ApiProperty(TEXT_OR_NULL) nextCursor!: string | null;
  @ApiProperty(NOW) now!: string;
}

export const EVENT_TYPES: ApiQueryOptions = {
  name: 'type',
  required: false,
  isArray: true,
  style: 'form',
  explode: false,
  enum: OWNER_EVENT_TYPES,
  description: 'Only events of these types: one or more, comma-separated',
};

@ApiTags('audit-events')
@Controller('v1/audit-events')
@ForKeysOfAccount()
export class AuditEventsController {
  constructor(private readonly listEvents: ListAuditEvents) {}

  @Get()
  @ApiQuery(EVENT_TYPES)
  @ApiQuery({
    name: 'keyId',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: 'Only events of this key; none if it is not a key of this owner',
  })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 50, default: 50 } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ type: AuditEventListView })
  @ProblemResponses(OF_ACCOUNT)
  async list(@Req() request: LatchkeyRequest, @Query() query: ListQuery): Promise<AuditEventListView> {
    const { items, nextCursor } = await this.listEvents.execute(
      actingIn(request),
      readEventFilter(query),
      readPage(query),
    );
    return { items: items.map(eventView), nextCursor, now: new Date().toISOString() };
  }
}
