import { useRef } from 'react';
import { usePanel } from '../panel/context';

/**
 * Remembers which element had the focus when a dialog opened. The answered function moves the focus back to it, or to
 * the heading if the element is gone.
 */
export function useFocusReturn(opened: boolean): () => void {
  const { focusHeading } = usePanel();
  const opener = useRef<Element>(null);
  const wasOpened = useRef(false);
  if (opened && !wasOpened.current) opener.current = document.activeElement;
  wasOpened.current = opened;
  return () => {
    const element = opener.current;
    if (element instanceof HTMLElement && element.isConnected && element !== document.body) element.focus();
    else focusHeading();
  };
}
