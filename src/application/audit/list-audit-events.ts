import { asSeenBy, type RecordedEvent, SHOWN_EVENT_TYPES } from '#domain/audit/audit-event.js';
import type { Acting } from '../managed-account.js';
import type { Page, PageRequest } from '../lists.js';
import type { Audit, EventFilter } from '../ports.js';

export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  async execute(
    { personId, ownerId }: Acting,
    { types = SHOWN_EVENT_TYPES, keyId }: Partial<EventFilter>,
    page: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    const { items, nextCursor } = await this.audit.list(ownerId, { types, keyId }, page);
    return { items: items.map((event) => asSeenBy(personId, event)), nextCursor };
  }
}
