import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ApiKey, KeyHistory } from '../api/types';
import { USAGE_KEPT_DAYS } from '../rules';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Addresses } from './Addresses';
import classes from './history.module.css';
import { ChartSkeleton, UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

interface Props {
  /** The key, with its history if that is loaded. */
  readonly found: {
    readonly key: (ApiKey & Partial<KeyHistory>) | undefined;
    readonly isError: boolean;
    readonly error: unknown;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
}

/** How often a key was used, and from where. */
export function Usage({ found: { key, isError, error, isFetching, refetch } }: Props) {
  const { history } = useTexts();
  const titleId = useId();
  const retry = () => void refetch();
  return (
    <section aria-labelledby={titleId} className={classes.usage}>
      <div className={classes.titleLine}>
        <Title order={3} size="h5" id={titleId}>
          {history.title}
        </Title>
        <Text size="xs" c="dimmed">
          {history.lastDays(USAGE_KEPT_DAYS)}
        </Text>
      </div>
      {isError && <FailureAlert title={history.failed} error={error} isRetrying={isFetching} onRetry={retry} />}
      {key?.uses && key.days && (
        <>
          <UsageChart days={key.days} isUsed={key.lastUsedAt !== null} />
          {key.days.some(({ refused }) => refused > 0) && (
            <Text size="xs" c="dimmed">
              {history.rejected}
            </Text>
          )}
          {key.days.length > 0 && <UsageTable days={key.days} />}
          <Addresses uses={key.uses} createdAt={key.createdAt} />
        </>
      )}
      {!key?.days && !isError && <ChartSkeleton />}
    </section>
  );
}
