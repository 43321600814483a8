import { noSuchKey } from '../../domain/keys/owner-keys.js';
import type { KeyHistory } from '../../domain/usage/key-history.js';
import type { ReadKey } from '../lists.js';
import type { ApiKeys, KeyUsage } from '../ports.js';
import type { RecordDueEnds } from './record-due-ends.js';

export class GetApiKey {
  constructor(
    private readonly keys: ApiKeys,
    private readonly dueEnds: RecordDueEnds,
    private readonly usage: KeyUsage,
  ) {}

  /** Throws `not_found` for a key of another owner. A due end is recorded before it is shown. */
  async execute(ownerId: string, keyId: string): Promise<ReadKey & KeyHistory> {
    const found = await this.keys.findOwn(ownerId, keyId);
    if (!found) throw noSuchKey();
    if (found.key.isEndDue(found.now)) {
      await this.dueEnds.ofOwner(ownerId, found.now);
      return this.execute(ownerId, keyId);
    }
    return { ...found, ...(await this.usage.history(keyId, found.now)) };
  }
}
