import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { endedByClock } from '../../domain/keys/key-change.js';
import { noticesOfChange } from '../../domain/notices/notices-of-change.js';
import { later } from '../../domain/time.js';
import { inBatches } from '../in-batches.js';
import type { DueKeys, EndDecision } from '../ports.js';
import { eventOf } from './change-keys.js';

/** Records ends by the clock. Each end gets one event, however many callers observe it. */
export class RecordDueEnds {
  constructor(private readonly dueKeys: DueKeys) {}

  /** @param readAt when the end was observed: if the clock was set back since then, it is recorded as of that time */
  async ofKey(keyId: string, readAt: Date): Promise<void> {
    await this.dueKeys.end(keyId, (open, now) => endDueKeys(open, later(now, readAt)));
  }

  /** @param readAt when the keys were read */
  async ofOwner(ownerId: string, readAt: Date): Promise<void> {
    const due = await this.dueKeys.find(ownerId, readAt);
    await Promise.all(due.map((keyId) => this.ofKey(keyId, readAt)));
  }

  /** Several instances may do so at once. Returns how many ends this one recorded. */
  ofAll(): Promise<number> {
    return inBatches((limit) => this.dueKeys.endOldest(limit, endDueKeys));
  }
}

export const endDueKeys: EndDecision = (open, now) => {
  const changes = open.flatMap((key) => {
    const status = key.endIfDue(now);
    return status ? [endedByClock(key, status)] : [];
  });
  return {
    keys: changes.map(({ key }) => key),
    events: changes.map((change) => ({ ownerId: change.key.ownerId, event: eventOf(change, THE_SERVICE)! })),
    notices: changes.flatMap((change) => noticesOfChange(change, null)),
  };
};
