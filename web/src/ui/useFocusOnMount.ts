import { useEffect, useRef, type RefObject } from 'react';

/**
 * Focuses a new element when the content of a dialog is replaced and the element with the focus disappears.
 */
export function useFocusOnMount<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    element.current?.focus({ preventScroll: true });
    // Shows the beginning of the new content, even if the old one was scrolled.
    element.current?.closest('[role="dialog"]')?.scrollTo(0, 0);
  }, []);
  return element;
}
