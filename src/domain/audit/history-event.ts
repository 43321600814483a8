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

/** What the key of this event was called before. Null for any other event, and when only the note changed. */
export function recordedPreviousName(event: Pick<HistoryEvent, 'type' | 'details'>): string | null {
  if (event.type !== 'api_key.renamed') return null;
  const { name, previousName } = detailsOf(event);
  return typeof previousName === 'string' && previousName !== name ? previousName : null;
}

/** How a time reads in a problem. */
export function moment(at: Date | null): string {
  return at === null || Number.isNaN(at.valueOf()) ? 'no time' : at.toISOString();
}
