import { useMemo, useSyncExternalStore } from 'react';
import { placeOf, searchOf, type PanelPlace } from '../panel/place';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

/** Keeps the person's place in the page's address. Each step can be undone with "back". */
export function usePlaceInAddress(): [PanelPlace, (place: PanelPlace) => void] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  return [useMemo(() => placeOf(search), [search]), goTo];
}

function goTo(place: PanelPlace): void {
  const search = searchOf(place);
  // Closing the details leads back to where they were opened, and "back" does not open them again.
  const from = openedFrom();
  if (from === search) return history.back();
  const opensDetails = place.tab === 'keys' && place.keyId !== undefined;
  const address = location.pathname + search;
  // From one key to another within the details: "back" closes the details.
  if (opensDetails && from !== undefined) history.replaceState({ openedFrom: from }, '', address);
  else history.pushState(opensDetails ? { openedFrom: location.search } : null, '', address);
  for (const listener of listeners) listener();
}

/** Where the person was when they opened the details that this step shows. */
function openedFrom(): string | undefined {
  return (history.state as { readonly openedFrom?: string } | null)?.openedFrom;
}

/** Resets the place for another person. */
export function forgetPlace(): void {
  history.replaceState(null, '', location.pathname);
  for (const listener of listeners) listener();
}
