import { hasCode } from '../api/problem';
import { ChartSkeleton } from '../history/UsageChart';
import type { KeyFound } from '../key/useKey';
import { useTexts } from '../texts';
import { FailureAlert, Notice } from '../ui/Notice';

interface Props {
  readonly found: Omit<KeyFound, 'isLoading'>;
}

/** In the place of a key's details: that there is no such key, that it could not be loaded, or that it is loading. */
export function NoKey({ found: { error, isError, isFetching, refetch } }: Props) {
  const { details } = useTexts();
  if (hasCode(error, 'not_found')) return <Notice tone="warning">{details.unknown}</Notice>;
  if (isError) return <FailureAlert error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
  return <ChartSkeleton />;
}
