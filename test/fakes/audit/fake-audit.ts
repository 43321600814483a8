import type { Page, PageRequest } from '../../../src/application/lists.js';
import type { Audit, EventFilter } from '../../../src/application/ports.js';
import type { FailedAuthentication, RecordedEvent } from '../../../src/domain/audit/audit-event.js';
import type { SealableEvent } from '../../../src/domain/audit/audit-seal.js';
import { recordedLeak } from '../../../src/domain/leaks/recorded-leak.js';
import { groupFailures } from '../../../src/domain/audit/group-failures.js';
import type { FakeStore } from '../fake-store.js';
import { pageOf } from '../pages.js';

export class FakeAudit implements Audit {
  private arrived: FailedAuthentication[] = [];
  private nextCommit: Promise<void> | undefined;

  constructor(private readonly store: FakeStore) {}

  recordFailure(failure: FailedAuthentication): Promise<void> {
    this.arrived.push(failure);
    this.nextCommit ??= this.commit();
    return this.nextCommit;
  }

  async list(ownerId: string, { types, keyId }: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>> {
    const { events, formerEvents, keys } = this.store;
    const before = formerEvents.get(ownerId) ?? 0n;
    const isPurged = (id: string | null) => id !== null && keys.get(id)?.isPurged === true;
    const all = events.filter((event) => event.ownerId === ownerId && event.id > before);
    const own = all.filter((event) => !isPurged(event.keyId)).reverse();
    const isShown = (event: SealableEvent) =>
      types.some((type) => type === event.type) && (keyId === undefined || event.keyId === keyId);
    const { items, nextCursor } = pageOf(own, ({ id }) => String(id), page, isShown);
    return { items: items.map(toRecorded), nextCursor };
  }

  /** What arrives in one turn of the event loop commits together. */
  private async commit(): Promise<void> {
    await new Promise(setImmediate);
    const failures = this.arrived.splice(0);
    this.nextCommit = undefined;
    const events = groupFailures(failures, false).map(({ failure: { client, ...failure }, count }) =>
      this.store.newEvent({
        type: 'authentication.failed',
        ...failure,
        clientIp: client.ip,
        userAgent: client.userAgent,
        requestId: client.requestId,
        count,
      }),
    );
    this.store.addEvents(...events);
  }
}

function toRecorded(event: SealableEvent): RecordedEvent {
  const { at, keyId, reason, count, clientIp, userAgent, requestId } = event;
  const type = event.type as RecordedEvent['type'];
  const leak = recordedLeak(event);
  return { id: String(event.id), type, at, keyId, reason, count, clientIp, userAgent, requestId, leak };
}
