import type { RecordedEvent } from '../../domain/audit/audit-event.js';
import type { Page, PageRequest } from '../page.js';
import type { Audit } from '../ports.js';

export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  execute(ownerId: string, page: PageRequest): Promise<Page<RecordedEvent>> {
    return this.audit.list(ownerId, page);
  }
}
