import type { ReactNode } from 'react';
import type { KeyStatus } from '../api/types';
import { useTexts } from '../texts';
import classes from './StatusBadge.module.css';

interface Props {
  readonly status: KeyStatus;
  /** Unset: the status in one word. */
  readonly children?: ReactNode;
}

export function StatusBadge({ status, children }: Props) {
  const texts = useTexts();
  return (
    <span className={classes.status} data-status={status}>
      {children ?? texts.keys.status[status]}
    </span>
  );
}
