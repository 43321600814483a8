import { relativeTime, timestamp } from '../time/format';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import classes from './RelativeTime.module.css';

interface Props {
  readonly iso: string;
  /** Puts the relative time into a sentence. */
  readonly text?: (relative: string) => string;
  /** Never shows "in 2 seconds", even when the clocks of browser and service differ. */
  readonly isPast?: boolean;
}

/**
 * "3 minutes ago". The exact time is its description for screen readers. It is shown on hover, and while the entry around
 * it has the focus of the keyboard, so that a time needs no tab stop. A key's row leads to the details, which have it.
 */
export function RelativeTime({ iso, text = (relative) => relative, isPast = false }: Props) {
  const texts = useTexts();
  const now = useNow();
  return (
    <time dateTime={iso} aria-description={timestamp(iso, texts.language)} className={classes.time}>
      {text(relativeTime(iso, now, texts, isPast))}
    </time>
  );
}
