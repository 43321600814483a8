import type { SealableEvent } from './audit-seal.js';
import { detailsOf } from './telling-event.js';

/** Where a reporter says that a key stood. For the record only: nothing looks there. */
export interface LeakSite {
  /** Who or what found it, such as `secret-scanner`. */
  readonly source: string | null;
  readonly url: string | null;
}

export const MAX_SOURCE_LENGTH = 200;
export const MAX_URL_LENGTH = 2048;

/** Where a leaked key stood, as the event of its end has it. Null where nothing is known of that, and of any other event. */
export function recordedLeak(event: Pick<SealableEvent, 'reason' | 'details'>): LeakSite | null {
  if (event.reason !== 'leaked' || event.details === null) return null;
  const { source, url } = detailsOf(event);
  return { source: textOrNull(source), url: textOrNull(url) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
