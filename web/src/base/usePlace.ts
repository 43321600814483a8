import { useState } from 'react';
import { START, type PanelPlace } from './place';

/** With `replace`, "back" must not lead to the place before, which the person may not see any more. */
export type GoTo = (place: PanelPlace, options?: { readonly replace: boolean }) => void;

export interface PlaceProps {
  /**
   * The current place, if the host keeps it in its address, so that "back" and a reload work as people expect. Without it
   * the panel keeps the place itself. The panel never changes the address.
   */
  readonly place?: PanelPlace | undefined;
  /** Called with the next `place`. */
  readonly onPlace?: GoTo | undefined;
}

export function usePlace({ place, onPlace }: PlaceProps): [PanelPlace, GoTo] {
  const [own, setOwn] = useState(START);
  return [place ?? own, onPlace ?? ((next) => setOwn(next))];
}
