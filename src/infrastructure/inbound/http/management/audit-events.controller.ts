import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ListAuditEvents } from '#application/audit/list-audit-events.js';
import { Answers, OF_ACCOUNT } from '../pipeline/openapi.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { eventView } from './answers.js';
import { actingIn, ForKeysOfAccount } from './guards.js';
import { EventQuery, readEventFilter, readPage } from './queries.js';
import { AuditEventListView } from './views.js';

@ApiTags('audit-events')
@Controller('v1/audit-events')
@ForKeysOfAccount()
export class AuditEventsController {
  constructor(private readonly listEvents: ListAuditEvents) {}

  @Get()
  @Answers(AuditEventListView, OF_ACCOUNT)
  async list(@Req() request: LatchkeyRequest, @Query() query: EventQuery): Promise<AuditEventListView> {
    const { items, nextCursor } = await this.listEvents.execute(
      actingIn(request),
      readEventFilter(query),
      readPage(query),
    );
    return { items: items.map(eventView), nextCursor, now: new Date().toISOString() };
  }
}
