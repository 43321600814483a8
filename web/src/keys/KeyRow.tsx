import { Badge, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import type { ApiKey } from '../api/types';
import type { Rotation } from '../rotate/rotation';
import { RotationBadge } from '../rotate/RotationBadge';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { ExpiryCell } from './ExpiryCell';
import classes from './KeyList.module.css';
import { KeyMenu } from './KeyMenu';
import { LastUsed } from './LastUsed';
import { statusAt } from './status';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly onOpen: () => void;
}

export function KeyRow({ apiKey, rotation, onOpen }: Props) {
  const texts = useTexts();
  const id = useId();
  const describedBy = `${id}prefix${rotation ? ` ${id}part` : ''}`;
  const { column, access } = texts.keys;
  const status = statusAt(apiKey, useNow());
  return (
    <tr
      role="row"
      data-ended={status !== 'active' || undefined}
      data-replaced={rotation?.old.id === apiKey.id || undefined}
    >
      <th role="rowheader" scope="row" className={classes.name}>
        <span className={classes.nameLine}>
          <UnstyledButton
            className={classes.nameText}
            aria-haspopup="dialog"
            aria-describedby={describedBy}
            onClick={onOpen}
          >
            {apiKey.name}
          </UnstyledButton>
          <Badge size="sm" radius="sm" variant="default" tt="none" fw={500}>
            {access[apiKey.access]}
          </Badge>
          {rotation && <RotationBadge id={`${id}part`} apiKey={apiKey} rotation={rotation} />}
        </span>
        <code id={`${id}prefix`} className={classes.prefix}>
          {apiKey.prefix}
        </code>
      </th>
      <td role="cell" data-label={column.created}>
        <RelativeTime iso={apiKey.createdAt} isPast />
      </td>
      <td role="cell" data-label={column.lastUsed}>
        <LastUsed apiKey={apiKey} rotation={rotation} />
      </td>
      <td role="cell" data-label={column.expires}>
        <ExpiryCell apiKey={apiKey} rotation={rotation} />
      </td>
      <td role="cell" className={classes.actions}>
        {status === 'active' && <KeyMenu apiKey={apiKey} rotation={rotation} describedBy={describedBy} />}
      </td>
    </tr>
  );
}
