import { type RecordedEvent, SHOWN_EVENT_TYPES } from '../../domain/audit/audit-event.js';
import type { Page, PageRequest } from '../lists.js';
import type { Audit, EventFilter } from '../ports.js';

export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  /** Without a filter, only the types that owners see by default. */
  execute(
    ownerId: string,
    { types = SHOWN_EVENT_TYPES, keyId }: Partial<EventFilter>,
    page: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    return this.audit.list(ownerId, { types, keyId }, page);
  }
}
