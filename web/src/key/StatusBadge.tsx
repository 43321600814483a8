import type { PropsWithChildren } from 'react';
import type { KeyStatus } from '../api/types';
import { useTexts } from '../texts';
import { clockTime } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './StatusBadge.module.css';

type Props = PropsWithChildren<{ readonly status: KeyStatus | 'paused' }>;

export function StatusBadge({ status, children }: Props) {
  return (
    <span className={classes.status} data-status={status}>
      <span>{children}</span>
    </span>
  );
}

/** Until when a paused key is paused. */
export function PausedUntil({ iso }: { readonly iso: string }) {
  const { language, pause } = useTexts();
  const now = useNow();
  return (
    <StatusBadge status="paused">
      <RelativeTime iso={iso} text={() => pause.until(clockTime(iso, now, language))} />
    </StatusBadge>
  );
}
