import { type OwnerEventType, type RecordedEvent, SHOWN_EVENT_TYPES } from '../../domain/audit/audit-event.js';
import type { Page, PageRequest } from '../page.js';
import type { Audit } from '../ports.js';

export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  /** @param types those that owners see without asking, unless given */
  execute(
    ownerId: string,
    types: readonly OwnerEventType[] | undefined,
    page: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    return this.audit.list(ownerId, types ?? SHOWN_EVENT_TYPES, page);
  }
}
