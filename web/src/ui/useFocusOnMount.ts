import { useEffect, useRef, type RefObject } from 'react';

/**
 * When the content of a dialog is replaced, the element with the focus disappears; this gives the focus to a new one.
 */
export function useFocusOnMount<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    element.current?.focus({ preventScroll: true });
    // The new content is read from its beginning, even if the old one was scrolled.
    element.current?.closest('[role="dialog"]')?.scrollTo(0, 0);
  }, []);
  return element;
}
