import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ListAuditEvents } from '../../../../application/audit/list-audit-events.js';
import { OWNER_EVENT_TYPES, type RecordedEvent } from '../../../../domain/audit/audit-event.js';
import type { LeakSite } from '../../../../domain/audit/leak-site.js';
import { ForOwners } from './owner.guard.js';
import { readEventFilter, readPage, type Query as ListQuery } from './page-query.js';
import { OWNERS_ONLY, ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;

const REASON =
  'Of a revocation: owner, administrator, platform, rotated, leaked or purged; null before there were reasons. Of a failed ' +
  'authentication: why it was refused';

const LEAK = {
  type: 'object',
  nullable: true,
  description: 'Of a key that ended because it was reported as leaked: what the report says of where it stood',
  required: ['source', 'url'],
  properties: {
    source: { type: 'string', nullable: true, description: 'Who or what found it' },
    url: { type: 'string', nullable: true, description: 'Text that a stranger may have written: not to be followed' },
  },
  additionalProperties: false,
} as const;

export class AuditEventView {
  @ApiProperty() id: string;
  @ApiProperty({ enum: OWNER_EVENT_TYPES }) type: string;
  @ApiProperty({ type: String, format: 'date-time' }) at: string;
  @ApiProperty(TEXT_OR_NULL) keyId: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: REASON }) reason: string | null;
  @ApiProperty({ type: 'integer', description: 'How many identical events this one stands for' }) count: number;
  @ApiProperty(TEXT_OR_NULL) clientIp: string | null;
  @ApiProperty(TEXT_OR_NULL) userAgent: string | null;
  @ApiProperty(TEXT_OR_NULL) requestId: string | null;
  @ApiProperty({ ...LEAK, required: [...LEAK.required] }) leak: LeakSite | null;

  constructor(event: RecordedEvent) {
    this.id = event.id;
    this.type = event.type;
    this.at = event.at.toISOString();
    this.keyId = event.keyId;
    this.reason = event.reason;
    this.count = event.count;
    this.clientIp = event.clientIp;
    this.userAgent = event.userAgent;
    this.requestId = event.requestId;
    this.leak = event.leak && { source: event.leak.source, url: event.leak.url };
  }
}

class AuditEventListView {
  @ApiProperty({ type: [AuditEventView] }) items: AuditEventView[];
  @ApiProperty(TEXT_OR_NULL) nextCursor: string | null;

  constructor(items: readonly RecordedEvent[], nextCursor: string | null) {
    this.items = items.map((event) => new AuditEventView(event));
    this.nextCursor = nextCursor;
  }
}

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
