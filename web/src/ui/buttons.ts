import type { MouseEvent } from 'react';

/** Leaves out the second click of a double click, which may hit what the first one has put under the pointer. */
export const once =
  <E extends Element>(act: (event: MouseEvent<E>) => void) =>
  (event: MouseEvent<E>): void => {
    if (event.detail < 2) act(event);
  };

/**
 * The look of a button that leads to the end of a key, except where the screen advises something else. The one that ends
 * it is filled.
 */
export const dangerous = { variant: 'outline', color: 'red', c: 'var(--mantine-color-error)' } as const;
