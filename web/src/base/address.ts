import { useMemo, useSyncExternalStore } from 'react';
import { type GoTo, type PanelPlace, placeOf, searchOf } from './place';

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
export function usePlaceInAddress(): [PanelPlace, GoTo] {
  const search = useSearch();
  return [useMemo(() => placeOf(search), [search]), goTo];
}

export const useSearch = (): string => useSyncExternalStore(subscribe, () => location.search);

const goTo: GoTo = (place, { replace } = { replace: false }) => {
  const search = searchOf(place);
  if (replace) replaceBy(search);
  else step(search, place.tab === 'keys' && place.keyId !== undefined);
};

/** From the call until the browser is there. */
let isGoingBack = false;
addEventListener('popstate', () => (isGoingBack = false));

/**
 * @param search the query string of the next place
 * @param opensDetails whether the details of a key are open there
 */
export function step(search: string, opensDetails: boolean): void {
  // A second click, for example on what closes the details, adds nothing to go back through.
  if (isGoingBack || search === location.search) return;
  // Closing the details leads back to where they were opened, and "back" does not open them again.
  const from = openedFrom();
  if (from === search) {
    isGoingBack = true;
    return history.back();
  }
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
export const forgetPlace = (): void => replaceBy('');

function replaceBy(search: string): void {
  history.replaceState(null, '', location.pathname + search);
  for (const listener of listeners) listener();
}
