import { Group, TextInput } from '@mantine/core';
import { usePanel } from '../base/context';
import { STATUS_FILTERS, type StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import { SearchIcon } from '../ui/icons';
import { Select } from '../ui/Select';

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
    <Group gap="sm" wrap="nowrap">
      <TextInput
        type="search"
        aria-label={keys.search}
        placeholder={keys.search}
        value={search}
        leftSection={<SearchIcon />}
        onChange={(event) => onSearch(event.currentTarget.value)}
        flex="0 1 24rem"
      />
      <Select
        aria-label={keys.filterLabel}
        value={filter}
        onChange={(event) => goTo({ tab: 'keys', status: event.currentTarget.value as StatusFilter })}
        data={STATUS_FILTERS.map((value) => ({ value, label: keys.filter[value](countOf(value)) }))}
        flex="0 1 12rem"
        miw="7rem"
      />
    </Group>
  );
}
