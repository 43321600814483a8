import { useRef, type MouseEvent } from 'react';

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
