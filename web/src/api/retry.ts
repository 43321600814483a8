import { QueryClient } from '@tanstack/react-query';
import { isTransient } from './problem';

const WAITS_MS = [600, 1500, 3000];

/** Repeats a request that failed for a temporary reason. Only for requests that are safe to repeat. */
export async function withRetries<T>(attempt: () => Promise<T>, onRetry?: () => void): Promise<T> {
  for (const waitMs of WAITS_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      onRetry?.();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  return attempt();
}

const retryTransient = (failures: number, error: unknown) => failures < 2 && isTransient(error);

/** Shows an error when the browser is offline, instead of waiting without a message. */
export function createQueryClient(): QueryClient {
  const common = { networkMode: 'always', retry: retryTransient } as const;
  return new QueryClient({
    defaultOptions: {
      // The library's own default for `networkMode: 'always'` is not to read again once the browser is online again.
      queries: { ...common, staleTime: 10_000, refetchOnWindowFocus: 'always', refetchOnReconnect: true },
      mutations: common,
    },
  });
}
