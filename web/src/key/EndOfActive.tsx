import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { shortDate } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './EndOfActive.module.css';
import { endsSoon } from './expiry';
import { endOf } from './status';

type Sentence = (relative: string) => string;

/** @param expiry puts an expiry into a sentence */
export function EndOfActive({ apiKey: key, expiry }: { readonly apiKey: ApiKey; readonly expiry?: Sentence }) {
  const now = useNow();
  const { keys, language, pause } = useTexts();
  if (key.pausedUntil && Date.parse(key.pausedUntil) > now) {
    return (
      <span className={classes.soon}>
        <RelativeTime iso={key.pausedUntil} text={pause.until} />
      </span>
    );
  }
  if (key.idleEndsAt) return keys.idleEnds(shortDate(key.idleEndsAt, now, language));
  const end = endOf(key);
  const words = end === key.expiresAt ? expiry : keys.endsSoon;
  const time = <RelativeTime iso={end} {...(words && { text: words })} />;
  return endsSoon(key, now) ? <span className={classes.soon}>{time}</span> : time;
}
