import type { SealableEvent } from './audit-seal.js';
import { detailsOf } from './history-event.js';

/** Where a reporter says that a key was found. Only stored on the audit trail: the URL is never fetched. */
export interface LeakSite {
  /** The finder, such as `secret-scanner`. */
  readonly source: string | null;
  readonly url: string | null;
}

export const MAX_SOURCE_LENGTH = 200;
export const MAX_URL_LENGTH = 2048;

/** Where a leaked key was found, from the event of its end. Null where that is unknown, and for any other event. */
export function recordedLeak(event: Pick<SealableEvent, 'reason' | 'details'>): LeakSite | null {
  if (event.reason !== 'leaked' || event.details === null) return null;
  const { source, url } = detailsOf(event);
  return { source: textOrNull(source), url: textOrNull(url) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
