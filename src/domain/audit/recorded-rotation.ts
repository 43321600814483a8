import { endGiven, isOpen, type KeyTimes } from '../keys/key-status.js';
import { cancelsRotation } from '../keys/key-change.js';
import type { ApiKeyState } from '../keys/key-state.js';
import { detailsOf, type HistoryEvent, moment } from './event-details.js';

export interface StoredPredecessor extends KeyTimes, Pick<ApiKeyState, 'replacedBy'> {
  /** How many keys were issued to replace it, one after the other. */
  readonly successors: number;
}

export interface StoredKey extends ApiKeyState {
  /** Nobody sees or changes a key of a purged account. */
  readonly purged?: boolean;
  /** Undefined when the key replaces none. */
  readonly replaced: StoredPredecessor | undefined;
}

interface RotationEvents {
  readonly created: HistoryEvent;
  /** Releases that recorded no first use left none. */
  readonly firstUsed: HistoryEvent | undefined;
  readonly revoked: HistoryEvent | undefined;
}

export function rotationProblems(stored: StoredKey, events: RotationEvents, now: Date): string[] {
  return [
    ...problemsOfOrder(stored, events.created),
    ...problemsOfFirstUse(stored, events.firstUsed, now),
    ...problemsOfReplaced(stored, events),
  ];
}

/** Every successor was created with an event that has both, and no other key was. */
function problemsOfOrder({ replaces, graceSeconds }: StoredKey, created: HistoryEvent): string[] {
  const ordered = { replaces: null, graceSeconds: null, ...detailsOf(created) };
  const given = `event ${created.id} created it`;
  return [
    ...(replaces === ordered.replaces
      ? []
      : [`replaces ${replaces ?? 'no key'}; ${given} to replace ${String(ordered.replaces ?? 'no key')}`]),
    ...(graceSeconds === ordered.graceSeconds
      ? []
      : [`has a grace period of ${graceSeconds} seconds; ${given} with ${String(ordered.graceSeconds)}`]),
  ];
}

function problemsOfFirstUse({ firstUsedAt }: StoredKey, event: HistoryEvent | undefined, now: Date): string[] {
  if (!event) {
    // Written so that an invalid time, such as infinity, is a problem too.
    const isPossible = firstUsedAt === null || firstUsedAt.valueOf() <= now.valueOf();
    return isPossible ? [] : [`was first used at ${moment(firstUsedAt)}, which has not come yet`];
  }
  const recorded = detailsOf(event)['firstUsedAt'];
  return moment(firstUsedAt) === recorded
    ? []
    : [`was first used at ${moment(firstUsedAt)}; event ${event.id} has ${String(recorded)}`];
}

/** Nothing is wrong once the old key has ended or the rotation was cancelled. */
function problemsOfReplaced(stored: StoredKey, { firstUsed, revoked }: RotationEvents): string[] {
  const { id, replaced } = stored;
  if (!replaced || !isOpen(replaced) || (revoked && cancelsRotation(revoked.reason))) return [];
  const [name, isCurrent] = [`key ${stored.replaces}`, replaced.replacedBy === id];
  // Once this key has ended, the old key may have been rotated again, and that rotation cancelled. Its end stays.
  if (!isCurrent && (isOpen(stored) || replaced.successors === 1)) {
    return [`replaces ${name}, which is replaced by ${replaced.replacedBy ?? 'no key'}`];
  }
  const end = endOf(stored, replaced, firstUsed);
  if (!end) return [];
  const { endsAt } = replaced;
  const isExact = isCurrent && firstUsed;
  const isKept = isExact ? moment(endsAt) === moment(end) : endsAt !== null && endsAt <= end;
  return isKept ? [] : [`gave ${name} its end at ${moment(end)}, but that key ends at ${moment(endsAt)}`];
}

/** The end that the first use gave the old key: as recorded, or at the latest. */
function endOf(
  { firstUsedAt, graceSeconds }: StoredKey,
  { expiresAt }: StoredPredecessor,
  firstUsed: HistoryEvent | undefined,
): Date | undefined {
  if (firstUsed) {
    const { endsAt } = detailsOf(firstUsed);
    return typeof endsAt === 'string' ? new Date(endsAt) : undefined;
  }
  return firstUsedAt && graceSeconds !== null ? endGiven(expiresAt, firstUsedAt, graceSeconds) : undefined;
}
