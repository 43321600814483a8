import type { ComponentProps } from 'react';
import { onPlainClick } from './plain-click';
import { usePanel } from '../base/context';
import { searchOf, type PanelPlace } from '../base/place';

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  readonly place: PanelPlace;
}

/** A real link, which can be opened in a new tab if the host keeps the place in its address. */
export function PlaceLink({ place, ...rest }: Props) {
  const { goTo, isInAddress, account } = usePanel();
  const open = onPlainClick(() => goTo(place));
  return <a {...rest} href={isInAddress ? searchOf({ account: account?.id, ...place }) || '?' : '#'} onClick={open} />;
}
