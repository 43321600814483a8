import { Button, Stack, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { attention } from '../attention/attention';
import type { StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { KeyIcon } from '../ui/icons';
import { later } from '../ui/later';
import { ListSkeleton, Nothing } from '../ui/Nothing';
import { EndedKeys } from './EndedKeys';
import { isFound, type KeyLinks, type KeyRow, rowsOf, type Sort, sorted } from './key-rows';
import classes from './KeyList.module.css';
import { KeyTable } from './KeyTable';
import { type useApiKeys, useNextPages } from '../key/list';

/** Most lists need none. Where it is needed, the list waits for it, so that nothing moves. */
const Attention = later(() => import('../attention/Attention').then((part) => part.Attention), {
  isWanted: ({ concerns }) => concerns.length > 0,
  fallback: (
    <div className={classes.waiting}>
      <ListSkeleton />
    </div>
  ),
});

/** Few lists are long, and the library's fields are large. */
const KeyFilters = later(() => import('./KeyFilters').then((part) => part.KeyFilters), {
  fallback: <div className={classes.filters} />,
});

/** The number of rows from which the list has filters and a search. Fewer fit on the screen. */
const FILTERS_FROM = 9;

interface Props {
  readonly list: ReturnType<typeof useApiKeys>;
  readonly filter: StatusFilter;
  readonly links: KeyLinks;
}

/** What needs doing, the active keys, and the ended ones. */
export function KeyList({ list, filter, links }: Props) {
  const texts = useTexts();
  const now = useNow();
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>();
  const { keys, endedKeys, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const concerns = attention(keys, now);
  const rows = sorted(rowsOf(keys, now), sort, now, texts.language);
  const isLong = rows.length >= FILTERS_FROM;
  const wanted = isLong ? search.trim() : '';
  const needsAll = wanted !== '' || (isLong && (filter !== 'active' || sort !== undefined));

  // The service itself neither searches nor sorts.
  useNextPages(list, needsAll);

  const isConcern = ({ key, rotation }: KeyRow) =>
    concerns.some((concern) => concern.key.id === key.id || concern.key.id === rotation?.old.id);
  const lists = {
    all: rows,
    active: rows.filter(({ status }) => status === 'active'),
    attention: rows.filter(isConcern),
    ended: rows.filter(({ status }) => status !== 'active'),
  };
  // Those of pages that are not loaded have all ended. A service of an earlier release does not count them.
  const notLoaded = hasNextPage ? (endedKeys ?? 0) - lists.ended.length : 0;
  const countOf = (some: StatusFilter) => {
    const isOfAll = some === 'all' || some === 'ended';
    const isPartial = isOfAll && hasNextPage && endedKeys === undefined;
    return `${lists[some].length + (isOfAll ? Math.max(0, notLoaded) : 0)}${isPartial ? '+' : ''}`;
  };
  const shown = (some: readonly KeyRow[]) => (wanted ? some.filter((row) => isFound(row, wanted)) : some);
  // A short list has no filters, so none of them hides anything.
  const view = !isLong && filter === 'attention' ? 'active' : filter;
  const ended = view === 'attention' ? [] : shown(lists.ended);
  const first = view === 'attention' ? shown(lists.attention) : shown(lists.active);
  const hasFirst = !(isLong && view === 'ended');
  const found = ended.length + (hasFirst ? first.length : 0);

  const table = { links, sort, onSort: isLong ? setSort : undefined };

  return (
    <Stack gap="lg">
      <Attention concerns={concerns} placeOf={links.placeOf} />
      {isLong && <KeyFilters filter={filter} countOf={countOf} search={search} onSearch={setSearch} />}
      <VisuallyHidden role="status">{wanted && texts.keys.shown(found)}</VisuallyHidden>
      {wanted && found === 0 ? (
        <Nothing title={texts.keys.noneFound(wanted)}>
          <Button variant="default" onClick={() => setSearch('')}>
            {texts.keys.clearSearch}
          </Button>
        </Nothing>
      ) : (
        // Another filter shows another list, with a fold of its own.
        <Stack gap="lg" key={view}>
          {hasFirst && first.length > 0 && <KeyTable rows={first} {...table} />}
          {hasFirst && first.length === 0 && !wanted && (
            <Nothing icon={<KeyIcon />} title={texts.keys.noneWith[view === 'attention' ? view : 'active']} />
          )}
          {(ended.length > 0 || (view !== 'attention' && !wanted && notLoaded > 0)) && (
            <EndedKeys
              rows={ended}
              count={wanted ? String(ended.length) : countOf('ended')}
              isUnfolded={view !== 'active' || wanted !== ''}
              {...table}
              more={
                hasNextPage && !needsAll
                  ? { isLoading: isFetchingNextPage, load: () => void fetchNextPage() }
                  : undefined
              }
            />
          )}
          {view === 'ended' && ended.length === 0 && notLoaded <= 0 && !wanted && (
            <Nothing icon={<KeyIcon />} title={texts.keys.noneWith.ended} />
          )}
        </Stack>
      )}
    </Stack>
  );
}
