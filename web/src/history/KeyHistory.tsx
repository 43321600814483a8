import { Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyHistory as History } from '../api/types';
import type { KeyFound } from '../details/useKey';
import { USAGE_KEPT_DAYS } from '../rules';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Addresses } from './Addresses';
import { UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

/** The usage of a key: its addresses, and its granted and refused requests. */
export function KeyHistory({ found }: { readonly found: KeyFound }) {
  const { history } = useTexts();
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {history.title}
      </Title>
      <HistoryItem found={found} />
    </Stack>
  );
}

function HistoryItem({ found: { key, isError, error, isFetching, refetch } }: { readonly found: KeyFound }): ReactNode {
  const { history } = useTexts();
  const { uses, days, lastUsedAt } = key ?? {};
  const retry = () => void refetch();
  return (
    <>
      {isError && <FailureAlert title={history.failed} error={error} isRetrying={isFetching} onRetry={retry} />}
      {uses && days && <Uses uses={uses} days={days} isUsed={lastUsedAt !== null} />}
      {!days && !isError && <Waiting />}
    </>
  );
}

interface UsesProps extends History {
  readonly isUsed: boolean;
}

function Uses({ uses, days, isUsed }: UsesProps) {
  const { history } = useTexts();
  if (uses.length === 0 && days.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isUsed ? history.notLately(USAGE_KEPT_DAYS) : history.never}
      </Text>
    );
  }
  return (
    <>
      {days.length > 0 && (
        <div>
          <Text size="sm" mb={6}>
            {history.requests(USAGE_KEPT_DAYS)}
          </Text>
          <UsageChart days={days} />
          <UsageTable days={days} />
        </div>
      )}
      <Addresses uses={uses} />
    </>
  );
}

function Waiting() {
  const texts = useTexts();
  return (
    <div role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <Skeleton height={96} />
    </div>
  );
}
