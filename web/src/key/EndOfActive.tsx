import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { shortDate } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './EndOfActive.module.css';
import { endOf, endsSoon } from './status';

interface Props {
  readonly apiKey: ApiKey;
  /** Puts an expiry into a sentence. */
  readonly expiry?: (relative: string) => string;
  /** Writes the words as part of a sentence. */
  readonly write?: (words: string) => string;
}

export function EndOfActive({ apiKey: key, expiry, write = (words) => words }: Props) {
  const now = useNow();
  const { keys, language } = useTexts();
  if (key.idleEndsAt) return write(keys.idleEnds(shortDate(key.idleEndsAt, now, language)));
  const end = endOf(key);
  const words = end === key.expiresAt ? expiry : keys.endsSoon;
  const time = <RelativeTime iso={end} {...(words && { text: (relative) => write(words(relative)) })} />;
  return endsSoon(key, now) ? <span className={classes.soon}>{time}</span> : time;
}
