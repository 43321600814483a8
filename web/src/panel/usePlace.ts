import { useState } from 'react';
import { START, type PanelPlace } from './place';

export interface PlaceProps {
  /**
   * The current place, if the host keeps it in its address, so that "back" and a reload work as people expect. Without it
   * the panel keeps the place itself. The panel never changes the address.
   */
  readonly place?: PanelPlace | undefined;
  /** Called with the next `place`. */
  readonly onPlace?: ((place: PanelPlace) => void) | undefined;
}

export function usePlace({ place, onPlace }: PlaceProps): [PanelPlace, (place: PanelPlace) => void] {
  const [own, setOwn] = useState(START);
  return [place ?? own, onPlace ?? setOwn];
}
