import { Badge, Text } from '@mantine/core';
import { useId } from 'react';
import type { ApiKey } from '../api/types';
import { texts } from '../texts';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { statusAt } from './expiry';
import { ExpiryCell } from './ExpiryCell';
import type { KeyAction } from './KeyDialogs';
import classes from './KeyList.module.css';
import { KeyMenu } from './KeyMenu';
import { StatusBadge } from './StatusBadge';

interface Props {
  readonly apiKey: ApiKey;
  readonly onAction: (action: KeyAction) => void;
}

export function KeyRow({ apiKey, onAction }: Props) {
  const prefixId = useId();
  const { column, access } = texts.keys;
  const status = statusAt(apiKey, useNow());
  return (
    <tr role="row" data-ended={status !== 'active' || undefined}>
      <th role="rowheader" scope="row" className={classes.name}>
        <span className={classes.nameLine}>
          <span className={classes.nameText}>{apiKey.name}</span>
          <Badge size="sm" radius="sm" variant="default" tt="none" fw={500}>
            {access[apiKey.access]}
          </Badge>
        </span>
        <code id={prefixId} className={classes.prefix}>
          {apiKey.prefix}
        </code>
      </th>
      <td role="cell" data-label={column.lastUsed}>
        {apiKey.lastUsedAt ? (
          <RelativeTime iso={apiKey.lastUsedAt} isPast />
        ) : (
          <Text c="dimmed" span inherit>
            {texts.never}
          </Text>
        )}
      </td>
      <td role="cell" data-label={column.expires}>
        <ExpiryCell apiKey={apiKey} />
      </td>
      <td role="cell" data-label={column.status}>
        <StatusBadge status={status} />
      </td>
      <td role="cell" className={classes.actions}>
        {status === 'active' && <KeyMenu apiKey={apiKey} describedBy={prefixId} onAction={onAction} />}
      </td>
    </tr>
  );
}
