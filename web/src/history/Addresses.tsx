import { Badge, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { AddressUse } from '../api/types';
import { useTexts } from '../texts';
import { monthDay } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './history.module.css';
import { isAccepted, isNewAddress, whyDenied } from './usage';

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
          {uses.map((use) => (
            <li key={use.clientIp}>
              <code>{use.clientIp}</code>
              {isNewAddress(use.firstAt, createdAt, now) && (
                <Badge size="sm" radius="sm" variant="default" tt="none" className={classes.new}>
                  {history.isNew}
                </Badge>
              )}
              <span className={classes.seen}>
                {isAccepted(use) && <RelativeTime iso={use.lastAt} text={history.lastSeen} isPast />}
                <span>{history.since(monthDay(use.firstAt, language))}</span>
                <span>{use.service === null ? history.viaProxy : history.via(use.service)}</span>
              </span>
              {use.lastDenial && (
                <span className={classes.denied}>
                  <RelativeTime iso={use.lastDenial.at} text={history.lastDenied} isPast />
                  {whyDenied(use.lastDenial, history.denied)}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
