import { isLikeAnotherActor } from '../accounts/account-profile.js';
import type { SealableEvent } from './audit-seal.js';

/** The part of an event from which the state of a key or an account can be reconstructed. */
export type HistoryEvent = Pick<SealableEvent, 'id' | 'type' | 'ownerId' | 'actorId' | 'reason' | 'details'>;

/** Empty unless the details are a JSON object. Only a forged event can have other details. */
export function detailsOf({ details }: Pick<HistoryEvent, 'details'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = details === null ? {} : JSON.parse(details);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `service`: a service identity. `administrator`: a person at the command line. */
export type ActorKind = 'account' | 'service' | 'administrator';

const ACTOR_KINDS = { account: true, service: true, administrator: true } satisfies Record<ActorKind, true>;

/**
 * What the actor's id names. Null where nobody acted, and where an id that may be an account's or another actor's was
 * recorded without its kind, as releases up to 0.2.0 do.
 */
export function actorKindOf(event: Pick<HistoryEvent, 'actorId' | 'details'>): ActorKind | null {
  const { actorKind } = detailsOf(event);
  const isKind = typeof actorKind === 'string' && Object.hasOwn(ACTOR_KINDS, actorKind);
  return isKind ? (actorKind as ActorKind) : plainActorKind(event.actorId);
}

/** An id that does not look like another actor's can only be an account's. */
export function plainActorKind(actorId: string | null): 'account' | null {
  return actorId === null || isLikeAnotherActor(actorId) ? null : 'account';
}

/** What the key of this event was called before. Null for any other event, and when only the note changed. */
export function recordedPreviousName(event: Pick<HistoryEvent, 'type' | 'details'>): string | null {
  if (event.type !== 'api_key.renamed') return null;
  const { name, previousName } = detailsOf(event);
  return typeof previousName === 'string' && previousName !== name ? previousName : null;
}

/** Why an administrator revoked the key. Null where they did not say, and for any other event. */
export function recordedNote(event: Pick<HistoryEvent, 'type' | 'details'>): string | null {
  const { note } = detailsOf(event);
  return event.type === 'api_key.revoked' && typeof note === 'string' ? note : null;
}

/** What an administrator searched by, or which accounts they found. Null for any other event, and for one key. */
export function recordedView(
  event: Pick<HistoryEvent, 'type' | 'details'>,
): Readonly<Record<string, string | null>> | null {
  const { query, accounts } = event.type === 'admin.viewed' ? detailsOf(event) : {};
  const viewed = accounts === undefined ? query : { accounts };
  if (!(viewed instanceof Object)) return null;
  return Object.fromEntries(
    Object.entries(viewed).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

/** How a time reads in a problem. */
export function moment(at: Date | null): string {
  return at === null || Number.isNaN(at.valueOf()) ? 'no time' : at.toISOString();
}
