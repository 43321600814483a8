import { Button, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { StatusFilter } from '../panel/place';
import { useTexts } from '../texts';
import { KeyTable } from './KeyTable';
import type { useApiKeys } from './useApiKeys';

/** The number of keys from which the list has a search. Fewer fit on the screen. */
const SEARCH_FROM = 9;

interface Props {
  readonly list: ReturnType<typeof useApiKeys>;
  readonly filter: StatusFilter;
  readonly onOpen: (keyId: string) => void;
}

export function KeyList({ list, filter, onOpen }: Props) {
  const texts = useTexts();
  const [search, setSearch] = useState('');
  const { keys, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isSearchable = keys.length >= SEARCH_FROM;
  const wanted = isSearchable ? search.trim().toLocaleLowerCase() : '';
  const shown = wanted ? keys.filter((key) => key.name.toLocaleLowerCase().includes(wanted)) : keys;

  // All pages are loaded, because the service itself has no search.
  useEffect(() => {
    if (wanted && hasNextPage && !isFetchingNextPage && !list.isError) void fetchNextPage();
  }, [wanted, hasNextPage, isFetchingNextPage, fetchNextPage, list.isError]);

  if (keys.length === 0) return <Text c="dimmed">{texts.keys.noneWith[filter]}</Text>;
  return (
    <Stack gap="md">
      {isSearchable && (
        <TextInput
          type="search"
          aria-label={texts.keys.search}
          placeholder={texts.keys.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maw={320}
        />
      )}
      <VisuallyHidden role="status">{wanted && texts.keys.shown(shown.length)}</VisuallyHidden>
      {shown.length > 0 ? (
        <KeyTable keys={shown} onOpen={onOpen} />
      ) : (
        <Group>
          <Text c="dimmed">{texts.keys.noneFound(search.trim())}</Text>
          <Button size="xs" variant="default" onClick={() => setSearch('')}>
            {texts.keys.clearSearch}
          </Button>
        </Group>
      )}
      {hasNextPage && !wanted && (
        <Group justify="center">
          <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
            {texts.showMore}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
