import { ApiProperty } from '@nestjs/swagger';
import { OWNER_EVENT_TYPES, type RecordedEvent } from '../../../../domain/audit/audit-event.js';
import type { LeakSite } from '../../../../domain/audit/leak-site.js';

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

export class AuditEventListView {
  @ApiProperty({ type: [AuditEventView] }) items: AuditEventView[];
  @ApiProperty(TEXT_OR_NULL) nextCursor: string | null;

  constructor(items: readonly RecordedEvent[], nextCursor: string | null) {
    this.items = items.map((event) => new AuditEventView(event));
    this.nextCursor = nextCursor;
  }
}
