import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import type { PageRequest, KeyList } from '../lists.js';
import type { ApiKeys } from '../ports.js';
import type { RecordDueEnds } from './record-due-ends.js';

export class ListApiKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly dueEnds: RecordDueEnds,
  ) {}

  /** A due end is recorded before it is shown. */
  async execute(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList> {
    const list = await this.keys.list(ownerId, status, page);
    const hasRecorded = await this.dueEnds.ofOwner(ownerId, list.now);
    return hasRecorded ? this.execute(ownerId, status, page) : list;
  }
}
