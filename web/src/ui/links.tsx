import { type ComponentProps, type MouseEvent, useRef } from 'react';
import { usePanel } from '../base/context';
import { type PanelPlace, searchOf } from '../base/place';

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  readonly place: PanelPlace;
}

/** A real link, which can be opened in a new tab if the host keeps the place in its address. */
export function PlaceLink({ place, ...rest }: Props) {
  const { goTo, isInAddress, account } = usePanel();
  const open = onPlainClick(() => goTo(place));
  return <a {...rest} href={isInAddress ? searchOf({ account: account?.id, ...place }) || '?' : '#'} onClick={open} />;
}

/** For a link that this page follows itself, unless the person opens it in a new tab or window. */
export function onPlainClick(follow: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow();
  };
}

/** For a row that a link covers, except its times and drawings, which are above the link, for their hints. */
export function useRowLink() {
  const link = useRef<HTMLAnchorElement>(null);
  const openFromHint = ({ target, nativeEvent }: MouseEvent) => {
    const isHint = target instanceof Element && target.closest('time, svg[role="img"]');
    if (!isHint) return;
    link.current?.focus();
    link.current?.dispatchEvent(new globalThis.MouseEvent('click', nativeEvent));
  };
  return { link, openFromHint };
}
