import { Button, Group, UnstyledButton } from '@mantine/core';
import { type ComponentProps, useId, useState } from 'react';
import { useTexts } from '../texts';
import { ChevronIcon } from '../ui/icons';
import list from '../ui/list.module.css';
import { once } from '../ui/buttons';
import { KeyTable } from './KeyTable';

interface Props extends Omit<ComponentProps<typeof KeyTable>, 'areEnded'> {
  readonly count: string;
  /** Until the person folds or unfolds it. */
  readonly isUnfolded: boolean;
  readonly more: { readonly isLoading: boolean; readonly load: () => void } | undefined;
}

export function EndedKeys({ count, isUnfolded, more, ...table }: Props) {
  const texts = useTexts();
  const id = useId();
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isUnfolded;
  return (
    <div>
      <UnstyledButton
        className={list.fold}
        mb="xs"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={once(() => {
          setChosen(!isOpen);
          if (!isOpen && table.rows.length === 0) more?.load();
        })}
      >
        <ChevronIcon />
        {texts.keys.ended(count)}
      </UnstyledButton>
      {isOpen && (
        <div id={id}>
          {table.rows.length > 0 && <KeyTable {...table} areEnded />}
          {more && (
            <Group justify="center" mt="md">
              <Button variant="default" onClick={more.load} loading={more.isLoading}>
                {texts.showMore}
              </Button>
            </Group>
          )}
        </div>
      )}
    </div>
  );
}
