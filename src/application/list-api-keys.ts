import type { ApiKeyStatus } from '../domain/api-key.js';
import type { PageRequest } from './page.js';
import type { ApiKeys, KeyList } from './ports.js';

export class ListApiKeys {
  constructor(private readonly keys: ApiKeys) {}

  /** Showing a key as expired is observing its expiry, so that is recorded first. */
  async execute(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList> {
    await this.keys.recordExpiries({ ownerId });
    return this.keys.list(ownerId, status, page);
  }
}
