import { ActionIcon, Menu } from '@mantine/core';
import { useRef } from 'react';
import type { ApiKey } from '../api/types';
import type { Rotation } from '../rotate/rotation';
import { useTexts } from '../texts';
import { revokeAction } from '../revoke/revoke-words';
import { MoreIcon, RevokeIcon, RotateIcon } from '../ui/icons';
import { useKeyDialogs, type KeyAction } from './KeyDialogs';
import classes from './KeyList.module.css';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  /** Distinguishes keys with the same name. */
  readonly describedBy: string;
}

export function KeyMenu({ apiKey, rotation, describedBy }: Props) {
  const texts = useTexts();
  const { act } = useKeyDialogs();
  const button = useRef<HTMLButtonElement>(null);
  const choose = (kind: KeyAction['kind']) => () => act({ kind, key: apiKey, rotation, opener: button.current });
  return (
    <Menu
      position="bottom-end"
      // The menu stays within the panel's landmark and contains only menu items.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      shadow="md"
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
        {!rotation && (
          <Menu.Item leftSection={<RotateIcon />} onClick={choose('rotate')}>
            {texts.keys.rotate}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<RevokeIcon />} className={classes.danger} onClick={choose('revoke')}>
          {revokeAction(apiKey, rotation, texts)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
