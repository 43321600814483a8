import type { ApiKey, Leak } from '../api/types.js';

/** Strangers write it, so a long text is cut. */
const MOST = 40;

/**
 * Where a key was found, and by whom. The link is set only for an address that plainly is https, without a name that could
 * pass for its host.
 */
export function leakPlace({ source, url }: Leak) {
  const found = url !== null && URL.canParse(url) ? new URL(url) : undefined;
  return {
    ...(found && found.hostname !== '' && { host: cut(found.hostname) }),
    ...(found && url?.startsWith('https://') && !found.username && !found.password && { href: found.href }),
    ...(source !== null && { source: cut(source) }),
  };
}

function cut(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** A key that somebody reported, and that has no successor: what is made in its place is called a replacement. */
export const isToReplace = ({ leak, replacedBy }: ApiKey): boolean => leak !== null && replacedBy === null;
