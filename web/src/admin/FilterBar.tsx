import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { icon, PlusIcon } from '../ui/icons';
import { useAdminTexts } from './texts';

const CrossIcon = icon(<path d="m7 7 10 10M17 7 7 17" />);

/** One that leaves something out. */
export interface Filter {
  readonly text: string;
  readonly onRemove: () => void;
}

interface Props {
  readonly label: string;
  readonly search: ReactNode;
  readonly filters: readonly (Filter | false | undefined)[];
  /** At the end of the line. */
  readonly aside?: ReactNode;
  /** The fields of the other filters. */
  readonly children: ReactNode;
}

/** A search, the other filters behind a button, and what is filtered now. */
export function FilterBar({ label, search, filters, aside, children }: Props) {
  const admin = useAdminTexts();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  return (
    <Group gap="xs" role="search" aria-label={label}>
      {search}
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-start"
        withinPortal={false}
        trapFocus
        returnFocus
        hideDetached={false}
        shadow="md"
        width={300}
      >
        <Popover.Target>
          <Button ref={button} variant="default" leftSection={<PlusIcon />} onClick={() => setOpened(!opened)}>
            {admin.filter}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="sm">{children}</Stack>
        </Popover.Dropdown>
      </Popover>
      {filters.map(
        (filter) =>
          filter && (
            <Button
              key={filter.text}
              size="xs"
              variant="default"
              maw="18rem"
              rightSection={<CrossIcon />}
              aria-label={admin.remove(filter.text)}
              onClick={() => {
                // The pill goes away.
                button.current?.focus();
                filter.onRemove();
              }}
            >
              <Text span inherit truncate title={filter.text}>
                {filter.text}
              </Text>
            </Button>
          ),
      )}
      {aside}
    </Group>
  );
}
