import { ActionIcon, Menu } from '@mantine/core';
import { useRef } from 'react';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { MoreIcon, RevokeIcon, RotateIcon } from '../ui/icons';
import { useKeyDialogs, type KeyAction } from './KeyDialogs';
import classes from './KeyList.module.css';

interface Props {
  readonly apiKey: ApiKey;
  /** Keys may share a name; the prefix tells them apart. */
  readonly describedBy: string;
}

export function KeyMenu({ apiKey, describedBy }: Props) {
  const texts = useTexts();
  const { act } = useKeyDialogs();
  const button = useRef<HTMLButtonElement>(null);
  const choose = (kind: KeyAction['kind']) => () => act({ kind, key: apiKey, opener: button.current });
  return (
    <Menu
      position="bottom-end"
      // The menu stays within the panel's landmark and contains only menu items.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      shadow="md"
      width={170}
      transitionProps={{ duration: 80 }}
    >
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          size="lg"
          c="inherit"
          aria-label={texts.keys.actionsFor(apiKey.name)}
          aria-describedby={describedBy}
        >
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<RotateIcon />} onClick={choose('rotate')}>
          {texts.keys.rotate}
        </Menu.Item>
        <Menu.Item leftSection={<RevokeIcon />} className={classes.danger} onClick={choose('revoke')}>
          {texts.keys.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
