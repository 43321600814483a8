import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { withRetries } from '../api/retry';
import { NoAnswer } from '../api/problem';
import announcer from './Announcer.module.css';
import classes from './later.module.css';
import { useTexts } from '../texts';
import { FailureAlert } from './Notice';

interface Options<P> {
  /** Shown while the code loads. */
  readonly fallback?: ReactNode;
  /** Whether these props need the component. Once needed, it stays, for example to fade out. Default: always. */
  readonly isWanted?: (props: P) => boolean;
  /** Whether it is shown above the page, like a dialog. */
  readonly isOverlay?: boolean;
  /** Whether only few people need it, so that `LoadTheRest` leaves it out. */
  readonly isRare?: boolean;
}

const parts: (() => Promise<unknown>)[] = [];

/**
 * A component in a chunk of its own. The chunk is loaded when the component is first needed, or earlier by
 * `LoadTheRest`. Not `React.lazy`, which keeps a failure for ever: after a lost connection people could not try again.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, options: Options<P> = {}) {
  const { fallback = null, isWanted = () => true, isOverlay = false, isRare = false } = options;
  let Loaded: ComponentType<P> | undefined;
  const fetchOnce = async () => {
    const attempt = () =>
      load().catch((cause: unknown) => {
        throw new NoAnswer('A part of the screen could not be loaded', { cause });
      });
    Loaded ??= await withRetries(attempt);
  };
  if (!isRare) parts.push(fetchOnce);

  return function Later(props: P) {
    const [, setSettled] = useState(0);
    const [error, setError] = useState<unknown>();
    const wanted = useRef(false);
    wanted.current ||= isWanted(props);
    const isMissing = wanted.current && !Loaded && error === undefined;
    useEffect(() => {
      if (isMissing) fetchOnce().then(() => setSettled((count) => count + 1), setError);
    }, [isMissing]);
    if (!wanted.current) return null;
    if (Loaded) return <Loaded {...props} />;
    if (error === undefined) return isOverlay ? <Waiting /> : fallback;
    const failure = <FailureAlert error={error} onRetry={() => setError(undefined)} />;
    return isOverlay ? <div className={classes.overlay}>{failure}</div> : failure;
  };
}

/** Only a slow network lets people see it. */
const Waiting = () => (
  <p role="status" className={`${announcer.message} ${classes.overlay} ${classes.waiting}`}>
    {useTexts().loading}
  </p>
);

/**
 * Loads what `later` has left out, once the first answers are there and the browser has nothing to do.
 * @param onLoading called when that begins, for what else can wait so long
 */
export function LoadTheRest({ onLoading }: { readonly onLoading: () => void }) {
  const isBusy = useIsFetching() > 0;
  const load = useEffectEvent(() => {
    // A failure is shown when the part is needed.
    for (const part of parts) void part().catch(() => undefined);
    onLoading();
  });
  useEffect(() => {
    if (isBusy) return undefined;
    const { requestIdleCallback, cancelIdleCallback } = window as Partial<Window>;
    if (!requestIdleCallback || !cancelIdleCallback) {
      const timer = setTimeout(load, 500);
      return () => clearTimeout(timer);
    }
    const request = window.requestIdleCallback(load);
    return () => window.cancelIdleCallback(request);
  }, [isBusy]);
  return null;
}
