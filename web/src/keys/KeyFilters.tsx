import { SegmentedControl, TextInput } from '@mantine/core';
import { usePanel } from '../base/context';
import type { StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import classes from './KeysToolbar.module.css';

const FILTERS = ['all', 'active', 'attention', 'ended'] as const;

interface Props {
  readonly filter: StatusFilter;
  readonly countOf: (filter: StatusFilter) => string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

export function KeyFilters({ filter, countOf, search, onSearch }: Props) {
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
      <TextInput
        type="search"
        aria-label={keys.search}
        placeholder={keys.search}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        className={classes.search}
      />
    </div>
  );
}
