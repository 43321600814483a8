import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { AddressUse } from '../api/types';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './history.module.css';

export function Addresses({ uses }: { readonly uses: readonly AddressUse[] }) {
  const { history } = useTexts();
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
              <span>{service === null ? history.askedByProxy : history.askedBy(service)}</span>
              <span>
                <RelativeTime iso={lastAt} text={history.lastAt} isPast />
              </span>
              <span>
                <RelativeTime iso={firstAt} text={history.firstAt} isPast />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
