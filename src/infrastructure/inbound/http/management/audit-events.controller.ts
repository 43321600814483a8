import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ListAuditEvents } from '../../../../application/audit/list-audit-events.js';
import { OWNER_EVENT_TYPES } from '../../../../domain/audit/audit-event.js';
import { ForOwners } from './owner.guard.js';
import { readEventFilter, readPage, type Query as ListQuery } from './page-query.js';
import { OWNERS_ONLY, ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { AuditEventListView } from './audit-event.views.js';

@ApiTags('audit-events')
@Controller('v1/audit-events')
@ForOwners()
export class AuditEventsController {
  constructor(private readonly listEvents: ListAuditEvents) {}

  @Get()
  @ApiQuery({
    name: 'type',
    required: false,
    isArray: true,
    style: 'form',
    explode: false,
    enum: OWNER_EVENT_TYPES,
    description: 'Events of these types alone: one or more, comma-separated',
  })
  @ApiQuery({
    name: 'keyId',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: 'Events of this key alone: none, if it is not a key of this owner',
  })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 50, default: 50 } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ type: AuditEventListView })
  @ProblemResponses({ 400: 'Invalid query', ...OWNERS_ONLY })
  async list(@Req() { session }: LatchkeyRequest, @Query() query: ListQuery): Promise<AuditEventListView> {
    const { items, nextCursor } = await this.listEvents.execute(
      session!.account.id,
      readEventFilter(query),
      readPage(query),
    );
    return new AuditEventListView(items, nextCursor);
  }
}
