import { SegmentedControl, TextInput } from '@mantine/core';
import { usePanel } from '../base/context';
import type { StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import { FilterFold } from '../ui/FilterFold';
import { type Order, orderBy, type Sort, SORTS, sortTexts } from './sort';
import classes from './KeyFilters.module.css';
import { Select } from '../ui/Select';

const FILTERS = ['all', 'active', 'attention', 'ended'] as const;

interface Props {
  readonly filter: StatusFilter;
  readonly countOf: (filter: StatusFilter) => string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Unset for the newest key first. */
  readonly onOrder: (order: Order | undefined) => void;
}

export function KeyFilters({ filter, countOf, search, onSearch, onOrder }: Props) {
  const { keys, language } = useTexts();
  const sort = sortTexts(language);
  const { goTo } = usePanel();
  return (
    <FilterFold active={[filter !== 'active', search.trim() !== ''].filter(Boolean).length}>
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
          {sort && (
            <Select
              aria-label={sort.label}
              onChange={({ currentTarget: { value } }) =>
                onOrder(value === 'created' ? undefined : orderBy(value as Sort, language))
              }
              data={SORTS.map((value) => ({ value, label: sort[value] }))}
              className={classes.sort}
            />
          )}
        </div>
      </div>
    </FilterFold>
  );
}
