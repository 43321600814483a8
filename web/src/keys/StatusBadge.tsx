import type { KeyStatus } from '../api/types';
import { texts } from '../texts';
import classes from './StatusBadge.module.css';

export function StatusBadge({ status }: { readonly status: KeyStatus }) {
  return (
    <span className={classes.status} data-status={status}>
      {texts.keys.status[status]}
    </span>
  );
}
