import { Badge, Text, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { statusAt } from './expiry';
import { ExpiryCell } from './ExpiryCell';
import classes from './KeyList.module.css';
import { KeyMenu } from './KeyMenu';

interface Props {
  readonly apiKey: ApiKey;
  readonly onOpen: () => void;
}

export function KeyRow({ apiKey, onOpen }: Props) {
  const texts = useTexts();
  const prefixId = useId();
  const { column, access } = texts.keys;
  const status = statusAt(apiKey, useNow());
  return (
    <tr role="row" data-ended={status !== 'active' || undefined}>
      <th role="rowheader" scope="row" className={classes.name}>
        <span className={classes.nameLine}>
          <UnstyledButton
            className={classes.nameText}
            aria-haspopup="dialog"
            aria-describedby={prefixId}
            onClick={onOpen}
          >
            {apiKey.name}
          </UnstyledButton>
          <Badge size="sm" radius="sm" variant="default" tt="none" fw={500}>
            {access[apiKey.access]}
          </Badge>
        </span>
        <code id={prefixId} className={classes.prefix}>
          {apiKey.prefix}
        </code>
      </th>
      <td role="cell" data-label={column.created}>
        <RelativeTime iso={apiKey.createdAt} isPast />
      </td>
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
      <td role="cell" className={classes.actions}>
        {status === 'active' && <KeyMenu apiKey={apiKey} describedBy={prefixId} />}
      </td>
    </tr>
  );
}
