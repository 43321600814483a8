import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { LeakSite } from '../activity/EventList';
import type { ApiKey, Narrower } from '../api/types';
import { endedBy, endOf, endsSoon, pauseOf, rejectedSince, type Rotation, statusAt } from '../key/status';
import type { KeyAction } from '../key/actions';
import { isToReplace } from '../key/leak';
import { useCanMakeKeys } from '../key/list';
import { useTexts } from '../texts';
import { relativeTime, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import { dangerous, once } from '../ui/buttons';
import { MoreIcon } from '../ui/icons';
import { Notice } from '../ui/Notice';
import { revokeAction } from '../key/revoke-words';
import { usePauseKey } from '../key/usePauseKey';
import { PauseButton } from './PauseButton';

/** What a person does next with the key; "create" makes one like it. A limit is one to rotate with. */
export type NextStep = KeyAction['kind'] | 'create' | Narrower;

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly onOpen: (keyId: string) => void;
  readonly onNext: (step: NextStep) => void;
}

/** Why a key ended or is about to, and what helps. Nothing for a key that needs nothing. */
export function WhatToDo({ apiKey, rotation, onOpen, onNext }: Props) {
  const texts = useTexts();
  const { details, keys, language } = texts;
  const now = useNow();
  const canMakeKeys = useCanMakeKeys();
  const status = statusAt(apiKey, now);
  if (status === 'active') {
    if (rotation || !endsSoon(apiKey, now)) return null;
    return (
      <Notice tone="warning" isNews={false}>
        {details.expiresSoon(relativeTime(apiKey.expiresAt, now, texts))}
        {canMakeKeys && !pauseOf(apiKey, now) && (
          <Group mt="sm">
            <Button size="xs" onClick={() => onNext('rotate')}>
              {keys.rotate}
            </Button>
          </Group>
        )}
      </Notice>
    );
  }
  const { count, days } = rejectedSince(apiKey.recent.refused, endedAtOf(apiKey, status), now);
  const written = wholeNumber(count, language);
  const { replacedBy } = apiKey;
  return (
    <EndNotice apiKey={apiKey} status={status}>
      {days === undefined ? details.rejectedSince(count, written) : details.rejectedLately(days, count, written)}
      {apiKey.leak && <LeakSite leak={apiKey.leak} />}
      <Group mt="sm">
        {replacedBy === null ? (
          canMakeKeys && (
            <Button size="xs" onClick={() => onNext('create')}>
              {isToReplace(apiKey) ? texts.attention.leaked.fix : keys.createAgain}
            </Button>
          )
        ) : (
          <Button size="xs" onClick={() => onOpen(replacedBy)}>
            {details.openReplacement}
          </Button>
        )}
      </Group>
    </EndNotice>
  );
}

const endedAtOf = ({ expiresAt, revokedAt, endsAt }: ApiKey, status: 'expired' | 'revoked'): string =>
  status === 'expired' ? expiresAt : (revokedAt ?? endOf({ expiresAt, endsAt }));

interface EndNoticeProps {
  readonly apiKey: ApiKey;
  readonly status: 'expired' | 'revoked';
  readonly children?: ReactNode;
}

export function EndNotice({ apiKey, status, children }: EndNoticeProps) {
  const texts = useTexts();
  const now = useNow();
  const cause = endedBy(apiKey, status);
  return (
    <Notice tone={cause === 'leaked' ? 'danger' : 'warning'} isNews={false}>
      {texts.details.ended[cause](relativeTime(endedAtOf(apiKey, status), now, texts, true))}
      {children && <> {children}</>}
    </Notice>
  );
}

interface KeyActionsProps {
  /** An active one. */
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly onNext: (step: NextStep) => void;
}

/** None is the main button, which is in the notice above or in the form for the name. */
export function KeyActions({ apiKey, rotation, onNext }: KeyActionsProps) {
  const texts = useTexts();
  const { details, keys } = texts;
  // A key that ends soon has this button at the top.
  const now = useNow();
  const canMakeKeys = useCanMakeKeys();
  const hasRotate = canMakeKeys && !rotation && !pauseOf(apiKey, now) && !endsSoon(apiKey, now);
  const pause = usePauseKey();
  const revokeText = revokeAction(apiKey, rotation, texts);
  return (
    <>
      {hasRotate && (
        <Button variant="default" onClick={once(() => onNext('rotate'))}>
          {keys.rotate}
        </Button>
      )}
      <PauseButton
        apiKey={apiKey}
        onPause={!rotation && ((minutes) => void pause(apiKey, minutes))}
        onResume={() => onNext('resume')}
      />
      {canMakeKeys && !rotation ? (
        <Menu position="top-end" withinPortal={false} withInitialFocusPlaceholder={false} shadow="md">
          <Menu.Target>
            <ActionIcon variant="default" size="input-sm" aria-label={details.more}>
              <MoreIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onNext('leaked')}>{keys.leaked}</Menu.Item>
            <Menu.Item c={dangerous.c} onClick={() => onNext('revoke')}>
              {revokeText}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : (
        <Button {...dangerous} onClick={() => onNext('revoke')}>
          {revokeText}
        </Button>
      )}
    </>
  );
}
