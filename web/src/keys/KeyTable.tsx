import { VisuallyHidden } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { paired } from '../rotate/rotation';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import classes from './KeyList.module.css';
import { KeyRow } from './KeyRow';

interface Props {
  readonly keys: readonly ApiKey[];
  /** Shows the details of a key. */
  readonly onOpen: (keyId: string) => void;
}

/**
 * On a narrow screen CSS turns the groups of rows into cards, one for each key or for the two keys of a rotation. The
 * roles are explicit, because `display` removes those of a table.
 */
export function KeyTable({ keys, onOpen }: Props) {
  const texts = useTexts();
  const { column } = texts.keys;
  return (
    <div className={classes.frame}>
      <table role="table" className={classes.table} aria-label={texts.keys.tableLabel}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">{column.name}</th>
            <th role="columnheader">{column.created}</th>
            <th role="columnheader">{column.lastUsed}</th>
            <th role="columnheader">{column.expires}</th>
            <th role="columnheader">
              <VisuallyHidden>{column.actions}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        {paired(keys, useNow()).map((group) => (
          <tbody
            key={group[0]!.key.id}
            role="rowgroup"
            aria-label={group.length > 1 ? texts.rotate.pair.label(group[0]!.key.name) : undefined}
          >
            {group.map(({ key, rotation }) => (
              <KeyRow key={key.id} apiKey={key} rotation={rotation} onOpen={() => onOpen(key.id)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
