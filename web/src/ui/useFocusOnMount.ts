import { useEffect, useRef, type RefObject } from 'react';

/** Where the content of a dialog is replaced, the focus would be lost with what had it. */
export function useFocusOnMount<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    element.current?.focus({ preventScroll: true });
    // What is new is read from its beginning, however far the content before it was scrolled.
    element.current?.closest('[role="dialog"]')?.scrollTo(0, 0);
  }, []);
  return element;
}
