import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { NO_ENTITLEMENTS } from '../../domain/accounts/account-change.js';
import { type KeyPolicy, keyPolicy, type ServicePolicy } from '../../domain/keys/key-policy.js';
import type { PageRequest, KeyList } from '../lists.js';
import type { Accounts, ApiKeys } from '../ports.js';
import type { RecordDueEnds } from './record-due-ends.js';

export interface ListedKeys extends KeyList {
  /** What is allowed for new keys. */
  readonly policy: KeyPolicy;
}

export class ListApiKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly accounts: Accounts,
    private readonly dueEnds: RecordDueEnds,
    private readonly service: ServicePolicy,
  ) {}

  /** A due end is recorded before it is shown. */
  async execute(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<ListedKeys> {
    const list = await this.keys.list(ownerId, status, page);
    const hasRecorded = await this.dueEnds.ofOwner(ownerId, list.now);
    if (hasRecorded) return this.execute(ownerId, status, page);
    const { limits } = (await this.accounts.find(ownerId)) ?? NO_ENTITLEMENTS;
    return { ...list, policy: keyPolicy(this.service, limits) };
  }
}
