import type { SealableEvent } from './audit-seal.js';

/** The part of an event from which the state of a key or an account can be reconstructed. */
export type HistoryEvent = Pick<SealableEvent, 'id' | 'type' | 'ownerId' | 'reason' | 'details'>;

/** Empty unless the details are a JSON object. Only a forged event can have other details. */
export function detailsOf({ details }: Pick<HistoryEvent, 'details'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = details === null ? {} : JSON.parse(details);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** How a time reads in a problem. */
export function moment(at: Date | null): string {
  return at === null || Number.isNaN(at.valueOf()) ? 'no time' : at.toISOString();
}
