import { Menu } from '@mantine/core';
import { useEffect, useImperativeHandle, useState, type Ref, type RefObject } from 'react';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import { useCanMakeKeys } from '../key/list';
import { revokeAction } from '../key/revoke-words';
import { PAUSES, usePauseKey } from '../key/usePauseKey';
import { resumeTexts } from '../key/resume-texts';
import { pauseOf } from '../key/status';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import type { KeyLinks, KeyRow } from './key-rows';
import { useKeyDialogs, type KeyAction } from '../key/actions';
import { isToReplace } from '../key/leak';
import { dangerous } from '../ui/buttons';

interface Props {
  /** The prefix of the ids of the menu and its button. */
  readonly id: string;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly row: KeyRow;
  readonly links: KeyLinks;
}

/** Apart from its button, because the library's menu is large and is not needed before it opens. */
export function KeyMenuItems({ id, button, opened, onClose, row, links }: Props) {
  const texts = useTexts();
  const { keys } = texts;
  const { goTo } = usePanel();
  const { act, create } = useKeyDialogs();
  // The library remembers what had the focus when the menu opens, but not if it is there from the beginning.
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const { key, rotation, status } = row;
  const canMakeKeys = useCanMakeKeys();
  const pause = usePauseKey();
  const now = useNow();
  const paused = pauseOf(key, now);
  const isPaused = paused !== undefined;
  // Of two pauses the longer one stays, so one is offered only if it adds a minute.
  const isLonger = (minutes: number) => !paused || now + (minutes - 1) * 60_000 > Date.parse(paused);
  const resumeText = resumeTexts(texts.language)?.action;

  const show = (keyId: string) => () => {
    // The details return the focus to where it is now.
    button.current?.focus();
    goTo(links.placeOf(keyId));
  };
  const rename = () => {
    button.current?.focus();
    links.rename(key.id);
  };
  const choose =
    (kind: KeyAction['kind'], of: ApiKey = key) =>
    () =>
      act({ kind, key: of, rotation, opener: button.current });
  const ending = (of: ApiKey) => (
    <Menu.Item c={dangerous.c} onClick={choose('revoke', of)}>
      {revokeAction(of, rotation, texts)}
    </Menu.Item>
  );
  return (
    <Menu
      id={id}
      opened={opened && isReady}
      onClose={onClose}
      position="bottom-end"
      // The menu stays within the panel's landmark and contains only menu items.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      shadow="md"
      transitionProps={{ duration: 80 }}
    >
      <Menu.Target>
        <Adopted element={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={show(key.id)}>{texts.details.facts}</Menu.Item>
        {rotation && <Menu.Item onClick={show(rotation.old.id)}>{keys.detailsOfOld}</Menu.Item>}
        {status === 'active' && <Menu.Item onClick={rename}>{texts.details.edit}</Menu.Item>}
        {(status === 'active' || canMakeKeys) && <Menu.Divider />}
        {status !== 'active' && canMakeKeys && (
          <Menu.Item onClick={() => create(key)}>
            {isToReplace(key) ? texts.attention.leaked.fix : keys.createAgain}
          </Menu.Item>
        )}
        {status === 'active' && !rotation && (
          <>
            {canMakeKeys && !isPaused && <Menu.Item onClick={choose('rotate')}>{keys.rotate}</Menu.Item>}
            {canMakeKeys && <Menu.Item onClick={choose('leaked')}>{keys.leaked}</Menu.Item>}
            <Menu.Divider />
            {isPaused && resumeText && <Menu.Item onClick={choose('resume')}>{resumeText}</Menu.Item>}
            {PAUSES.filter(isLonger).map((minutes) => (
              <Menu.Item key={minutes} onClick={() => void pause(key, minutes)}>
                {texts.pause.for[minutes]}
              </Menu.Item>
            ))}
            <Menu.Divider />
            {ending(key)}
          </>
        )}
        {rotation && (
          <>
            {ending(key)}
            {ending(rotation.old)}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Makes an element that is elsewhere the menu's target. */
function Adopted({
  element,
  ref,
}: {
  readonly element: RefObject<HTMLElement | null>;
  readonly ref?: Ref<HTMLElement>;
}) {
  useImperativeHandle(ref, () => element.current!, [element]);
  return null;
}
