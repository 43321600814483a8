import { ActionIcon } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { useTexts } from '../texts';
import { MoreIcon } from '../ui/icons';
import { later } from '../ui/later';
import { once } from '../ui/buttons';
import type { KeyLinks, KeyRow } from './key-rows';

const KeyMenuItems = later(() => import('./KeyMenuItems').then((part) => part.KeyMenuItems), {
  isWanted: ({ opened }) => opened,
  isOverlay: true,
});

interface Props {
  readonly row: KeyRow;
  readonly links: KeyLinks;
  /** Distinguishes keys with the same name. */
  readonly describedBy: string;
}

export function KeyMenu({ row, links, describedBy }: Props) {
  const texts = useTexts();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <ActionIcon
        ref={button}
        id={`${id}-target`}
        variant="subtle"
        color="gray"
        size="lg"
        c="inherit"
        aria-label={texts.keys.actionsFor(row.key.name)}
        aria-describedby={describedBy}
        aria-haspopup="menu"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-dropdown` : undefined}
        onClick={once(() => setOpened((wasOpened) => !wasOpened))}
      >
        <MoreIcon />
      </ActionIcon>
      <KeyMenuItems id={id} button={button} opened={opened} onClose={() => setOpened(false)} row={row} links={links} />
    </>
  );
}
