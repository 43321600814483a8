import { useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/client';
import { usePanel } from '../panel/context';

const MAX_PAGES = 20;

/** Events hold the ids of keys; people know keys by their names. A name never changes, so it is read only once. */
export function useKeyNames() {
  const { client } = usePanel();
  return useQuery({ queryKey: ['api-keys', 'names'], queryFn: () => readNames(client) });
}

async function readNames(client: ApiClient): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    // Each page holds the cursor of the next one.
    // oxlint-disable-next-line no-await-in-loop
    const page = await client.listKeys(undefined, cursor);
    for (const { id, name } of page.items) names.set(id, name);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return names;
}
