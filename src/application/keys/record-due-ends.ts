import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { endedByClock } from '../../domain/keys/key-change.js';
import { noticesOfChange } from '../../domain/notices/notices-of-change.js';
import { inBatches } from '../in-batches.js';
import type { DueKeys, EndDecision } from '../ports.js';
import { eventOf } from './change-keys.js';

/** Records ends by the clock. Each end gets one event, however many callers observe it. */
export class RecordDueEnds {
  constructor(private readonly dueKeys: DueKeys) {}

  async ofKey(keyId: string): Promise<void> {
    await this.dueKeys.end({ keyId }, endDueKeys);
  }

  async ofOwner(ownerId: string): Promise<void> {
    await this.dueKeys.end({ ownerId }, endDueKeys);
  }

  /** Several instances may do so at once. Returns how many ends this one recorded. */
  ofAll(): Promise<number> {
    return inBatches((limit) => this.dueKeys.endOldest(limit, endDueKeys));
  }
}

export const endDueKeys: EndDecision = (due, now) => {
  const changes = due.flatMap((key) => {
    const status = key.endIfDue(now);
    return status ? [endedByClock(key, status)] : [];
  });
  return {
    keys: changes.map(({ key }) => key),
    events: changes.map((change) => ({ ownerId: change.key.ownerId, event: eventOf(change, THE_SERVICE)! })),
    notices: changes.flatMap((change) => noticesOfChange(change, null)),
  };
};
