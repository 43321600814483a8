import { useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/client';
import { usePanel } from '../panel/context';

const MAX_PAGES = 20;

/** Events name keys by their id; people know them by their name. Names never change, so what is known stays known. */
export function useKeyNames() {
  const { client } = usePanel();
  return useQuery({ queryKey: ['api-keys', 'names'], queryFn: () => readNames(client) });
}

async function readNames(client: ApiClient): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    // One page leads to the next.
    // oxlint-disable-next-line no-await-in-loop
    const page = await client.listKeys(undefined, cursor);
    for (const { id, name } of page.items) names.set(id, name);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return names;
}
