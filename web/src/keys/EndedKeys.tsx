import { Button, Group, UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { useTexts } from '../texts';
import { ChevronIcon } from '../ui/icons';
import type { KeyLinks, KeyRow } from './key-rows';
import classes from './KeyList.module.css';
import { KeyTable } from './KeyTable';

interface Props {
  readonly rows: readonly KeyRow[];
  readonly count: string;
  /** Until the person folds or unfolds it. */
  readonly isUnfolded: boolean;
  readonly links: KeyLinks;
  readonly more: { readonly isLoading: boolean; readonly load: () => void } | undefined;
}

export function EndedKeys({ rows, count, isUnfolded, links, more }: Props) {
  const texts = useTexts();
  const id = useId();
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isUnfolded;
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => {
          setChosen(!isOpen);
          if (!isOpen && rows.length === 0) more?.load();
        }}
      >
        <ChevronIcon />
        {texts.keys.ended(count)}
      </UnstyledButton>
      {isOpen && (
        <div id={id}>
          {rows.length > 0 && <KeyTable rows={rows} areEnded links={links} />}
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
