import { VisuallyHidden } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { texts } from '../texts';
import type { KeyAction } from './KeyDialogs';
import classes from './KeyList.module.css';
import { KeyRow } from './KeyRow';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly onAction: (action: KeyAction) => void;
}

/**
 * Cards where it is narrow, by CSS alone. The roles are written out, because `display` takes a table's own away.
 */
export function KeyTable({ keys, onAction }: Props) {
  const { column } = texts.keys;
  return (
    <div className={classes.frame}>
      <table role="table" className={classes.table} aria-label={texts.keys.tableLabel}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">{column.name}</th>
            <th role="columnheader">{column.lastUsed}</th>
            <th role="columnheader">{column.expires}</th>
            <th role="columnheader">{column.status}</th>
            <th role="columnheader">
              <VisuallyHidden>{column.actions}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onAction={onAction} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
