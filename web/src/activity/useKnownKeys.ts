import { useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/client';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';

const MAX_PAGES = 20;

/** The names and prefixes of keys, because events contain only ids. Newest first. */
export function useKnownKeys() {
  const { client } = usePanel();
  return useQuery({ queryKey: ['api-keys', 'known'], queryFn: () => readKeys(client) });
}

async function readKeys(client: ApiClient): Promise<ReadonlyMap<string, ApiKey>> {
  const keys = new Map<string, ApiKey>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    // Each page contains the cursor of the next one.
    // oxlint-disable-next-line no-await-in-loop
    const page = await client.listKeys(undefined, cursor);
    for (const key of page.items) keys.set(key.id, key);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return keys;
}
