import { OWNER_EVENT_TYPES, type OwnerEventType, type RecordedEvent } from '../../domain/audit/audit-event.js';
import type { Page, PageRequest } from '../page.js';
import type { Audit } from '../ports.js';

export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  /** @param types undefined for all that owners see */
  execute(
    ownerId: string,
    types: readonly OwnerEventType[] | undefined,
    page: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    return this.audit.list(ownerId, types ?? OWNER_EVENT_TYPES, page);
  }
}
