import { Badge, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { AddressUse } from '../api/types';
import { useTexts } from '../texts';
import { monthDay } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './history.module.css';
import { isNewAddress } from './usage';

interface Props {
  readonly uses: readonly AddressUse[];
  /** When the key was created. */
  readonly createdAt: string;
}

export function Addresses({ uses, createdAt }: Props) {
  const { history, language } = useTexts();
  const now = useNow();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <Title order={4} size="h6" id={titleId} mb={6}>
        {history.addresses}
      </Title>
      {uses.length === 0 ? (
        <Text size="sm" c="dimmed">
          {history.noAddress}
        </Text>
      ) : (
        <ul className={classes.addresses} aria-labelledby={titleId}>
          {uses.map(({ clientIp, service, firstAt, lastAt }) => (
            <li key={clientIp}>
              <code>{clientIp}</code>
              {isNewAddress(firstAt, createdAt, now) && (
                <Badge size="sm" radius="sm" variant="default" tt="none" className={classes.new}>
                  {history.isNew}
                </Badge>
              )}
              <span className={classes.seen}>
                <RelativeTime iso={lastAt} text={history.lastSeen} isPast />
                <span>{history.since(monthDay(firstAt, language))}</span>
                <span>{service === null ? history.viaProxy : history.via(service)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
