import type { MouseEvent } from 'react';

/** Leaves out the second click of a double click, which may hit what the first one has put under the pointer. */
export const once =
  <E extends Element>(act: (event: MouseEvent<E>) => void) =>
  (event: MouseEvent<E>): void => {
    if (event.detail < 2) act(event);
  };
