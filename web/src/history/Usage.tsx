import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { AddressUse, ApiKey } from '../api/types';
import type { KeyFound } from '../key/useKey';
import { USAGE_KEPT_DAYS } from '../rules';
import { useTexts } from '../texts';
import { FailureAlert, Notice } from '../ui/Notice';
import classes from './history.module.css';
import { ChartSkeleton, UsageChart } from './UsageChart';
import { monthDay } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { isAccepted, isNewAddress, whyDenied } from './usage';
import list from '../ui/list.module.css';
import { Section } from '../ui/Section';
import { hasCode } from '../api/problem';

interface Props {
  /** The key, with its history if that is loaded. */
  readonly found: Omit<KeyFound, 'isLoading'>;
  /** In place of the chart of a key that was never used. */
  readonly unused?: ReactNode;
}

export function Usage({ found: { key, isError, error, isFetching, refetch }, unused }: Props) {
  const { history } = useTexts();
  const retry = () => void refetch();
  const isUnused = unused !== undefined && key?.days?.length === 0 && key.lastUsedAt === null;
  return (
    <Section title={history.title} aside={history.lastDays(USAGE_KEPT_DAYS)}>
      {isError && <FailureAlert title={history.failed} error={error} isRetrying={isFetching} onRetry={retry} />}
      {isUnused && (
        <>
          <Text size="sm">{history.never}</Text>
          {unused}
        </>
      )}
      {!isUnused && key?.uses && key.days && (
        <>
          <UsageChart days={key.days} isUsed={key.lastUsedAt !== null} />
          {key.days.some(({ refused }) => refused > 0) && (
            <Text size="xs" c="dimmed">
              {history.rejected}
            </Text>
          )}
          <Addresses uses={key.uses} apiKey={key} />
        </>
      )}
      {!key?.days && !isError && <ChartSkeleton />}
    </Section>
  );
}

interface AddressesProps {
  readonly uses: readonly AddressUse[];
  readonly apiKey: ApiKey;
}

function Addresses({ uses, apiKey: { createdAt, permissions } }: AddressesProps) {
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
        <ul className={`${list.frame} ${classes.addresses}`} aria-labelledby={titleId}>
          {uses.map((use) => (
            <li key={use.clientIp}>
              <code>{use.clientIp}</code>
              {isNewAddress(use.firstAt, createdAt, now) && (
                <span className={`${list.badge} ${classes.new}`}>{history.isNew}</span>
              )}
              <span className={classes.seen}>
                {isAccepted(use) && <RelativeTime iso={use.lastAt} text={history.lastSeen} isPast />}
                <span>{history.since(monthDay(use.firstAt, language))}</span>
                <span>{use.service === null ? history.viaProxy : history.via(use.service)}</span>
              </span>
              {use.lastDenial && (
                <span className={classes.denied}>
                  <RelativeTime iso={use.lastDenial.at} text={history.lastDenied} isPast />
                  {whyDenied(use.lastDenial, history.denied, permissions)}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** In the place of a key's details: that there is no such key, that it could not be loaded, or that it is loading. */
export function NoKey({ found: { error, isError, isFetching, refetch } }: Pick<Props, 'found'>) {
  const { details } = useTexts();
  if (hasCode(error, 'not_found')) return <Notice tone="warning">{details.unknown}</Notice>;
  if (isError) return <FailureAlert error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
  return <ChartSkeleton />;
}
