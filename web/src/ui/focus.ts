import { type RefObject, useEffect, useRef } from 'react';
import { usePanel } from '../base/context';

/**
 * Remembers which element had the focus when a dialog opened. `restore` moves the focus back to it, or to the heading if
 * the element was removed.
 */
export function useFocusReturn(opened: boolean) {
  const { focusHeading } = usePanel();
  const remembered = useRef<Element>(null);
  const wasOpened = useRef(false);
  if (opened && !wasOpened.current) remembered.current = document.activeElement;
  wasOpened.current = opened;
  const opener = (): HTMLElement | null => {
    const element = remembered.current;
    return element instanceof HTMLElement && element !== document.body ? element : null;
  };
  const restore = () => {
    const element = opener();
    if (element?.isConnected) element.focus();
    else focusHeading();
  };
  return { opener, restore };
}

/**
 * Focuses a field of a form, or the chosen one of several, in the middle of what is in sight: its error stands next to
 * it, and the title and the buttons of a dialog cover the edges.
 */
export function focusField(form: HTMLElement | null, name: string): void {
  const field = form?.querySelector<HTMLElement>(`[name="${name}"]:checked, [name="${name}"]:not([type="radio"])`);
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}

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
