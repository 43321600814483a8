import { exactTime, relativeTime } from '../time/format';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { Hint } from './Hint';
import classes from './RelativeTime.module.css';

interface Props {
  readonly iso: string;
  /** Puts the relative time into a sentence. */
  readonly text?: (relative: string) => string;
  /** Never shows "in 2 seconds", even when the clocks of browser and service differ. */
  readonly isPast?: boolean;
}

/** "3 minutes ago"; the exact time on hover, touch and focus. */
export function RelativeTime({ iso, text = (relative) => relative, isPast = false }: Props) {
  const texts = useTexts();
  const tick = useNow();
  const now = isPast ? Math.max(tick, Date.parse(iso)) : tick;
  return (
    <Hint label={exactTime(iso, texts.language)}>
      <time dateTime={iso} tabIndex={0} className={classes.time}>
        {text(relativeTime(iso, now, texts))}
      </time>
    </Hint>
  );
}
