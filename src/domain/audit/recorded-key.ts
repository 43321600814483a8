import { MAX_KEY_DAYS } from '../accounts/entitlements.js';
import { isOpen, type KeyPauses, PAUSE_OF, wasPaused } from '../keys/key-status.js';
import { pausedDigest } from '../keys/key-restrictions.js';
import { DAY_MS } from '../time.js';
import { actorKindOf, detailsOf, type HistoryEvent, moment } from './event-details.js';
import { rotationProblems, type StoredKey } from './recorded-rotation.js';

/** Reconstructs a key from its events, in the order of their ids, to compare it with the stored key. */
export class RecordedKey {
  /** The event that counts, by what the key became in it. */
  private readonly events: Partial<Record<string, HistoryEvent>> = {};
  private readonly pauses: Partial<Record<keyof KeyPauses, HistoryEvent>> = {};

  constructor(private readonly stored: StoredKey | undefined) {}

  /** Of most types only the first event counts: a genuine trail has no second one. A key may be renamed many times. */
  add(event: HistoryEvent): void {
    const became = event.type.replace(/^api_key\./, '');
    if (became === 'paused' || became === 'resumed') this.pauses[pauseIn(event)] = event;
    else if (became === 'renamed') this.events[became] = event;
    else this.events[became] ??= event;
  }

  get isTakenAsFound(): boolean {
    return this.events['created'] === undefined;
  }

  /** @param prunedUpTo events up to this time were deleted; undefined when none were */
  differences(prunedUpTo: Date | undefined, now: Date): string[] {
    const { stored } = this;
    const { created, first_used: firstUsed, revoked } = this.events;
    if (!stored) return ['has events, but is not stored any more'];
    return [
      ...this.problemsOfCreation(stored, prunedUpTo),
      ...problemsOfLife(stored),
      ...this.problemsOfLabel(stored),
      ...this.problemsOfPauses(stored, prunedUpTo),
      ...(created ? this.problemsOfSuccessor(stored) : []),
      ...(created ? rotationProblems(stored, { created, firstUsed, revoked }, now) : []),
      ...this.problemsOfEnd(stored, prunedUpTo),
    ];
  }

  private problemsOfCreation(stored: StoredKey, prunedUpTo: Date | undefined): string[] {
    const { created } = this.events;
    if (!created) return mustHaveEvent(stored.createdAt, prunedUpTo) ? ['has no event that created it'] : [];
    const given = `event ${created.id} created it`;
    const {
      access,
      publicPart,
      digest,
      expiresAt,
      permissions,
      allowedNetworks,
      imported = false,
    } = detailsOf(created);
    const [isStill, expires] = [sameUnlessAbsent, moment(stored.expiresAt)];
    return [
      ...(created.ownerId === stored.ownerId ? [] : [`belongs to ${stored.ownerId}; ${given} for ${created.ownerId}`]),
      ...makerProblems(stored, created),
      ...(isStill(access, stored.access) ? [] : [`is ${stored.access}; ${given} as ${String(access)}`]),
      ...(isStill(publicPart, stored.publicPart) && isStill(digestNow(digest, stored), stored.digest.toString('hex'))
        ? []
        : [`has another secret than ${given} with`]),
      ...(imported === (stored.displayPrefix !== null) ? [] : [importProblem(stored, given)]),
      ...restrictionProblems('has permissions', stored.permissions, permissions, given),
      ...restrictionProblems('has allowed networks', stored.allowedNetworks, allowedNetworks, given),
      ...(isStill(expiresAt, expires) ? [] : [`expires at ${expires}; ${given} until ${String(expiresAt)}`]),
    ];
  }

  /** Nothing records what a key was called before it was renamed for the first time. */
  private problemsOfLabel(stored: StoredKey): string[] {
    const { renamed } = this.events;
    if (!renamed) return [];
    const { name, note } = detailsOf(renamed);
    const given = `than event ${renamed.id} gave it`;
    return [
      ...(sameUnlessAbsent(name, stored.name) ? [] : [`has another name ${given}`]),
      ...(sameUnlessAbsent(note, stored.note) ? [] : [`has another note ${given}`]),
    ];
  }

  private problemsOfPauses(stored: StoredKey, prunedUpTo: Date | undefined): string[] {
    return (['pausedUntil', 'adminPausedUntil'] as const).flatMap((name) => {
      const [event, until] = [this.pauses[name], stored[name]];
      const whose = name === 'pausedUntil' ? 'its owner' : 'an administrator';
      if (event) {
        const recorded = detailsOf(event)['until'];
        return recorded === (until && moment(until))
          ? []
          : [`was paused by ${whose} until ${moment(until)}; event ${event.id} says ${String(recorded)}`];
      }
      return until && mustHaveEvent(until, prunedUpTo) ? [`was paused by ${whose}, but no event paused it`] : [];
    });
  }

  private problemsOfSuccessor({ replacedBy, endsAt }: StoredKey): string[] {
    return this.events['rotated'] || (replacedBy === null && endsAt === null)
      ? []
      : [`is replaced by ${replacedBy ?? 'no key'} and ends at ${moment(endsAt)}, but no event rotated it`];
  }

  private problemsOfEnd(stored: StoredKey, prunedUpTo: Date | undefined): string[] {
    const { revoked, expired } = this.events;
    const hasEnded = stored.revokedAt !== null || stored.expiredAt !== null;
    const lacksEvent = (at: Date | null, event: HistoryEvent | undefined) =>
      at !== null && !event && mustHaveEvent(at, prunedUpTo);
    return [
      ...(revoked && !stored.revokedAt ? [`is not revoked, although event ${revoked.id} revoked it`] : []),
      ...(expired && !hasEnded ? [`has not ended, although it expired by event ${expired.id}`] : []),
      ...(stored.purged && isOpen(stored) ? ['is hidden, as of a purged account, but has not ended'] : []),
      ...(lacksEvent(stored.revokedAt, revoked) ? ['is revoked, but no event revoked it'] : []),
      ...(lacksEvent(stored.expiredAt, expired) ? ['is expired, but it expired by no event'] : []),
    ];
  }
}

const pauseIn = (event: HistoryEvent) =>
  PAUSE_OF[detailsOf(event)['by'] === 'administrator' ? 'administrator' : 'owner'];

/** The first pause changes the stored digest for good. */
function digestNow(recorded: unknown, stored: StoredKey): unknown {
  if (typeof recorded !== 'string' || !wasPaused(stored)) return recorded;
  return pausedDigest(Buffer.from(recorded, 'hex')).toString('hex');
}

function problemsOfLife({ createdAt, expiresAt }: StoredKey): string[] {
  // Written so that an invalid time, such as infinity, is a problem too.
  const isShortEnough = expiresAt.valueOf() - createdAt.valueOf() <= MAX_KEY_DAYS * DAY_MS;
  return isShortEnough ? [] : [`lives longer than ${MAX_KEY_DAYS} days, which is the maximum`];
}

function mustHaveEvent(at: Date, prunedUpTo: Date | undefined): boolean {
  return !prunedUpTo || !(at.valueOf() <= prunedUpTo.valueOf());
}

function importProblem({ displayPrefix }: StoredKey, given: string): string {
  const [is, was] = displayPrefix === null ? ['made here', 'an import'] : ['imported', 'one that was made here'];
  return `is ${is}; ${given} as ${was}`;
}

/** The keys of an owner are stored without a maker, and so are imported ones, which the platform brings. */
function makerProblems({ createdBy, displayPrefix }: StoredKey, event: HistoryEvent): string[] {
  const { id, ownerId, actorId } = event;
  const kind = actorKindOf(event) ?? 'account';
  const isBrought = displayPrefix !== null && createdBy === null;
  const maker = createdBy ?? (kind === 'account' ? ownerId : null);
  const isSame = isBrought || actorId === null || actorId === maker;
  const by = kind === 'account' ? actorId : `the ${kind} ${actorId}`;
  return isSame ? [] : [`was made by ${createdBy ?? 'its owner'}; event ${id} created it by ${by}`];
}

/** A creation that records none made a key without any, also before restrictions were introduced. */
function restrictionProblems(
  what: string,
  stored: readonly string[] | null,
  recorded: unknown,
  given: string,
): string[] {
  const listed = (value: unknown) => (Array.isArray(value) ? `[${value.join(' ')}]` : 'no list');
  const isSame = JSON.stringify(stored) === JSON.stringify(recorded ?? null);
  return isSame ? [] : [`${what} ${listed(stored)}; ${given} with ${listed(recorded)}`];
}

/** Events that were recorded before details were introduced have none to compare. */
function sameUnlessAbsent(recorded: unknown, stored: string | null): boolean {
  return recorded === undefined || recorded === stored;
}
