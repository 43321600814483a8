import type { PropsWithChildren } from 'react';
import type { ApiKey, KeyStatus } from '../api/types';
import { useTexts } from '../texts';
import { clockTime, shortDate } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './StatusBadge.module.css';
import { endOf, endsSoon } from './status';

type Props = PropsWithChildren<{ readonly status: KeyStatus | 'paused' }>;

export function StatusBadge({ status, children }: Props) {
  return (
    <span className={classes.status} data-status={status}>
      <span>{children}</span>
    </span>
  );
}

export function PausedUntil({ iso }: { readonly iso: string }) {
  const { language, pause } = useTexts();
  const now = useNow();
  return (
    <StatusBadge status="paused">
      <RelativeTime iso={iso} text={() => pause.until(clockTime(iso, now, language))} />
    </StatusBadge>
  );
}

interface EndProps {
  readonly apiKey: ApiKey;
  /** Puts an expiry into a sentence. */
  readonly expiry?: (relative: string) => string;
  /** Writes the words as part of a sentence. */
  readonly write?: (words: string) => string;
}

export function EndOfActive({ apiKey: key, expiry, write = (words) => words }: EndProps) {
  const now = useNow();
  const { keys, language } = useTexts();
  if (key.idleEndsAt) return write(keys.idleEnds(shortDate(key.idleEndsAt, now, language)));
  const end = endOf(key);
  const words = end === key.expiresAt ? expiry : keys.endsSoon;
  const time = <RelativeTime iso={end} {...(words && { text: (relative) => write(words(relative)) })} />;
  return endsSoon(key, now) ? <span className={classes.soon}>{time}</span> : time;
}
