import { VisuallyHidden } from '@mantine/core';
import { useRef, type ComponentProps, type MouseEvent } from 'react';
import { usePanel } from '../base/context';
import { searchOf, type PanelPlace } from '../base/place';
import { useTexts } from '../texts';
import surface from './surface.module.css';

/** A real link, which this page follows itself unless the person opens it in a new tab or window. */
export interface OwnLink {
  readonly href: string;
  readonly onClick: (event: MouseEvent) => void;
}

export function ownLink(href: string, follow: () => void): OwnLink {
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow();
  };
  return { href, onClick };
}

/** It can be opened in a new tab if the host keeps the place in its address. */
export function usePlaceLinks(): (place: PanelPlace) => OwnLink {
  const { goTo, isInAddress, account } = usePanel();
  return (place) => ownLink(isInAddress ? searchOf({ account: account?.id, ...place }) || '?' : '#', () => goTo(place));
}

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  readonly place: PanelPlace;
}

export function PlaceLink({ place, ...rest }: Props) {
  return <a {...rest} {...usePlaceLinks()(place)} />;
}

/** Opens a new tab, so that nothing typed or shown here is lost. The page there does not learn where the person came from. */
export function NewTabLink({ className = surface.link, children, ...rest }: ComponentProps<'a'>) {
  const { newTab } = useTexts();
  return (
    <a {...rest} target="_blank" rel="noopener noreferrer" className={className}>
      {children} <VisuallyHidden component="span">{newTab}</VisuallyHidden>
    </a>
  );
}

interface HelpLinkProps {
  /** Undefined if there is no such page. */
  readonly url: string | undefined;
  /** Default: that it is about help. */
  readonly label?: string;
}

export function HelpLink({ url, label }: HelpLinkProps) {
  const { help } = useTexts();
  return url !== undefined && <NewTabLink href={url}>{label ?? help}</NewTabLink>;
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
