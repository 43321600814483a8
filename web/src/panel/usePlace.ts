import { useState } from 'react';
import { START, type PanelPlace } from './place';

export interface PlaceProps {
  /**
   * Where the person is, if the host keeps it: in its address, so that "back" and a reload do what people expect. Without
   * it the panel keeps it to itself. Either way it touches no address.
   */
  readonly place?: PanelPlace | undefined;
  /** The person goes somewhere else, which is to be the next `place`. */
  readonly onPlace?: ((place: PanelPlace) => void) | undefined;
}

export function usePlace({ place, onPlace }: PlaceProps): [PanelPlace, (place: PanelPlace) => void] {
  const [own, setOwn] = useState(START);
  return [place ?? own, onPlace ?? setOwn];
}
