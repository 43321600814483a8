import type { SealableEvent } from './audit-seal.js';
import { detailsOf } from './history-event.js';

/** Where a reporter says that a key was found. Shown to the owner and never fetched: a stranger may have written it. */
export interface LeakSite {
  /** The finder, such as `secret-scanner`. */
  readonly source: string | null;
  readonly url: string | null;
}

export const MAX_SOURCE_LENGTH = 200;
export const MAX_URL_LENGTH = 2048;

/**
 * The address as a link, only if it plainly is https. A name before the host could pass for the host. The settings screen
 * decides the same way.
 */
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
