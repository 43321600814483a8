import type { MouseEvent } from 'react';

/** For a link that this page follows itself, unless the person opens it in a new tab or window. */
export function onPlainClick(follow: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow();
  };
}
