import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../base/context';

export type Secret = ReturnType<typeof useSecret>;

/**
 * Holds a new key while it is shown. The key is in no cache, no storage and no URL. It is forgotten when the person
 * leaves the page, before the browser keeps the page for "back", so that a restored page contains no secret.
 *
 * @param onLeft called when the page was left while the key was shown
 */
export function useSecret(onLeft: () => void) {
  const [created, setCreated] = useState<CreatedKey>();
  const [isCopied, markCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const latestOnLeft = useRef(onLeft);
  latestOnLeft.current = onLeft;

  const forget = () => {
    setCreated(undefined);
    markCopied(false);
    setAsking(false);
  };

  const { gate } = usePanel();
  const isShown = created !== undefined;
  useEffect(() => (isShown ? gate.hold() : undefined), [isShown, gate]);
  useEffect(() => {
    if (!isShown) return undefined;
    const leave = () => {
      flushSync(() => {
        forget();
        latestOnLeft.current();
      });
      getSelection()?.removeAllRanges();
    };
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [isShown]);

  const mustAsk = isShown && !isCopied;
  useEffect(() => {
    if (!mustAsk) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [mustAsk]);

  /** Closes if the key was copied, or asks the person first. Closing that question leads back to the key. */
  const requestClose = (close: () => void) => {
    if (isAsking) setAsking(false);
    else if (mustAsk) setAsking(true);
    else close();
  };

  const stay = () => setAsking(false);
  const setCopied = () => markCopied(true);
  return { created, isAsking, isCopied, show: setCreated, setCopied, stay, forget, requestClose };
}
