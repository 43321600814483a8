import type { SealableEvent } from './audit-seal.js';

/** What of an event tells how a key or an account came to be as it is. */
export type TellingEvent = Pick<SealableEvent, 'id' | 'type' | 'ownerId' | 'details'>;

/** None where they are no JSON object, as only an event that was made up can have them. */
export function detailsOf({ details }: Pick<TellingEvent, 'details'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = details === null ? {} : JSON.parse(details);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
