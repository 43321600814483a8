import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiQuery, type ApiQueryOptions, ApiTags } from '@nestjs/swagger';
import { ListAuditEvents } from '#application/audit/list-audit-events.js';
import { OWNER_EVENT_TYPES } from '#domain/audit/audit-event.js';
import { OF_ACCOUNT, ProblemResponses } from '../pipeline/openapi.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { eventView } from './answers.js';
import { actingIn, ForKeysOfAccount } from './guards.js';
import { type Query as ListQuery, readEventFilter, readPage } from './queries.js';
import { AuditEventListView } from './views.js';

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
