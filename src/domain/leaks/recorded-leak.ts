import type { SealableEvent } from '../audit/audit-seal.js';
import { detailsOf } from '../audit/telling-event.js';
import type { LeakSite } from '../audit/leak-site.js';

/** Where a leaked key stood, as the event of its end has it. Null where nothing is known of that, and of any other event. */
export function recordedLeak(event: Pick<SealableEvent, 'reason' | 'details'>): LeakSite | null {
  if (event.reason !== 'leaked' || event.details === null) return null;
  const { source, url } = detailsOf(event);
  return { source: textOrNull(source), url: textOrNull(url) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
