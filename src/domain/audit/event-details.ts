import type { ApiKey } from '../keys/api-key.js';
import { PAUSE_OF, type PausedBy } from '../keys/key-status.js';
import type { KeyLabel } from '../keys/key-state.js';
import { isLikeAnotherActor } from '../accounts/account-profile.js';
import type { SealableEvent } from './audit-seal.js';

/** Of a new key: what never changes. */
export function fixedFacts(key: ApiKey) {
  const { access, publicPart, digest, expiresAt, replaces, graceSeconds, permissions, allowedNetworks } =
    key.snapshot();
  const restrictions = { ...(permissions && { permissions }), ...(allowedNetworks && { allowedNetworks }) };
  const rotation = replaces === null ? {} : { replaces, graceSeconds };
  const facts = { access, publicPart, digest: digest.toString('hex'), expiresAt: expiresAt.toISOString() };
  return { ...facts, ...restrictions, ...rotation, ...(key.isImported && { imported: true }) };
}

/** Of the first use of a successor: the end that it gave the old key. */
export function firstUse(key: ApiKey, replaced: ApiKey | undefined) {
  const { firstUsedAt, replaces } = key.snapshot();
  const old = replaced?.snapshot();
  const end = old && (old.revokedAt ?? old.endsAt);
  return { firstUsedAt: firstUsedAt!.toISOString(), replaces, endsAt: end?.toISOString() ?? null };
}

export function newLabel(key: ApiKey, previous: KeyLabel) {
  const { name, note } = key.snapshot();
  return { name, note, previousName: previous.name, previousNote: previous.note };
}

export function pauseFacts(key: ApiKey, by: PausedBy) {
  return { by, until: key.snapshot()[PAUSE_OF[by]]!.toISOString() };
}

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
const ACTOR_KINDS = ['account', 'service', 'administrator'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * What the actor's id names. Null where nobody acted, and where an id that may be an account's or another actor's was
 * recorded without its kind, as releases up to 0.2.0 do.
 */
export function actorKindOf(event: Pick<HistoryEvent, 'actorId' | 'details'>): ActorKind | null {
  const { actorKind } = detailsOf(event);
  return ACTOR_KINDS.find((kind) => kind === actorKind) ?? plainActorKind(event.actorId);
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

export function moment(at: Date | null): string {
  return at === null || Number.isNaN(at.valueOf()) ? 'no time' : at.toISOString();
}

/** Where a reporter says that a key was found. Shown to the owner and never fetched: a stranger may have written it. */
export interface LeakSite {
  /** The finder, such as `secret-scanner`. */
  readonly source: string | null;
  readonly url: string | null;
}

export const MAX_SOURCE_LENGTH = 200;
export const MAX_URL_LENGTH = 2048;

/** A link only if it plainly is https: a user name could pass for the host. The settings screen decides the same. */
export function linkOfLeak(url: string | null | undefined): string | undefined {
  if (!url?.startsWith('https://') || !URL.canParse(url)) return undefined;
  const { username, password, href } = new URL(url);
  return username || password ? undefined : href;
}

/** Where a leaked key was found, from the event of its end. Null where that is unknown, and for any other event. */
export function recordedLeak(event: Pick<SealableEvent, 'reason' | 'details'>): LeakSite | null {
  if (event.reason !== 'leaked') return null;
  const { source, url } = detailsOf(event);
  if (source === undefined && url === undefined) return null;
  return { source: textOrNull(source), url: textOrNull(url) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
