import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { usePanel } from '../base/context';
import type { StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import { type Sort, SORTS } from './key-rows';
import classes from './KeysToolbar.module.css';

const FILTERS = ['all', 'active', 'attention', 'ended'] as const;

interface Props {
  readonly filter: StatusFilter;
  readonly countOf: (filter: StatusFilter) => string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

export function KeyFilters({ filter, countOf, search, onSearch, sort, onSort }: Props) {
  const { keys } = useTexts();
  const { goTo } = usePanel();
  return (
    <div className={classes.filters}>
      <SegmentedControl
        className={classes.filter}
        aria-label={keys.filterLabel}
        size="sm"
        value={filter}
        onChange={(value) => goTo({ tab: 'keys', status: value as StatusFilter })}
        data={FILTERS.map((value) => ({ value, label: keys.filter[value](countOf(value)) }))}
      />
      <div className={classes.find}>
        <TextInput
          type="search"
          aria-label={keys.search}
          placeholder={keys.search}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
          className={classes.search}
        />
        <NativeSelect
          aria-label={keys.sort.label}
          value={sort}
          onChange={(event) => onSort(event.currentTarget.value as Sort)}
          data={SORTS.map((value) => ({ value, label: keys.sort[value] }))}
          className={classes.sort}
        />
      </div>
    </div>
  );
}
