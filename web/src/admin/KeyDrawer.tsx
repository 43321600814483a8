import { Button, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { NoKey, Usage } from '../history/Usage';
import { statusAt } from '../key/status';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { dangerous } from '../ui/buttons';
import { Notice } from '../ui/Notice';
import { SidePanel } from '../ui/SidePanel';
import { useFocusReturn } from '../ui/focus';
import { allKeysPlaceOf, searchOfAllKeys, searchOfAudit } from './place';
import { NotAdministrator, useChangeKeys, useOwnedKey } from './useAllKeys';
import { ChangeDialog } from './ChangeDialog';
import { useAdminTexts } from './texts';
import { EventsOfKey } from '../activity/EventList';
import { groupEvents } from '../activity/events';
import { Facts, Summary } from '../details/Facts';
import classes from '../details/details.module.css';
import { PauseButton } from '../details/PauseButton';
import { EndNotice } from '../details/WhatToDo';
import { usePause } from '../key/usePauseKey';
import { step } from '../base/address';
import { Section } from '../ui/Section';
import { Owner } from './AllKeysTable';
import type { FoundKey } from './types';

interface Props {
  /** Undefined: closed. */
  readonly keyId: string | undefined;
  readonly onOpen: (keyId: string) => void;
  readonly onClose: () => void;
}

/** The key of any owner: whose it is, what it did, its pause and its end. */
export function KeyDrawer({ keyId, onOpen, onClose }: Props) {
  const { details } = useTexts();
  const admin = useAdminTexts();
  const { announce, trip } = usePanel();
  // Kept after it is closed, so that it still has its texts while it fades out.
  const last = useRef(keyId);
  if (keyId !== undefined) last.current = keyId;
  const opened = keyId !== undefined;
  const found = useOwnedKey(last.current, opened);
  const focus = useFocusReturn(opened);
  const now = useNow();
  const typed = trip?.returned?.typed;
  const draft = typed?.form === 'end' && keyId && allKeysPlaceOf(typed.search).keyId === keyId ? typed : undefined;
  const [asked, setAsked] = useState({ of: draft && keyId, resumes: draft?.resumes ?? false });
  const [revokeButton, pauseButton] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)];
  const isLost = found.error instanceof NotAdministrator;
  const key = isLost || hasCode(found.error, 'not_found') ? undefined : found.key;
  const isAsked = key !== undefined && opened && asked.of === keyId;
  // The form above the drawer keeps the focus.
  const hasEnded = key !== undefined && !isAsked && statusAt(key, now) !== 'active';
  // The rest is kept, so that the dialog still has its texts while it fades out.
  const close = () => setAsked({ ...asked, of: undefined });
  const over = (message: string) => {
    close();
    announce(message);
  };
  const { pause: send, showAgain } = useChangeKeys();
  const pause = usePause(send);
  const pauseFor = async (apiKey: FoundKey, minutes: number) => {
    if (!(await pause(apiKey, minutes))) await showAgain(apiKey.id);
  };
  return (
    <>
      <SidePanel
        opened={opened}
        title={key?.name ?? details.title}
        // Its end is news, too, and takes away the buttons.
        subject={keyId && `${keyId} ${hasEnded}`}
        isEdited={isAsked}
        footer={
          key &&
          statusAt(key, now) === 'active' && (
            <>
              <PauseButton
                ref={pauseButton}
                apiKey={key}
                onPause={(minutes) => void pauseFor(key, minutes)}
                onResume={() => setAsked({ of: keyId, resumes: true })}
              />
              <Button ref={revokeButton} {...dangerous} onClick={() => setAsked({ of: keyId, resumes: false })}>
                {admin.revoke}
              </Button>
            </>
          )
        }
        onClose={onClose}
        onClosed={focus.restore}
      >
        {isLost && <Lost />}
        {!isLost && (key ? <KeyDrawerBody apiKey={key} found={found} onOpen={onOpen} /> : <NoKey found={found} />)}
      </SidePanel>
      {key && (
        <ChangeDialog
          apiKey={key}
          opened={isAsked}
          resumes={asked.resumes}
          note={draft?.note ?? ''}
          onOver={over}
          onClose={close}
          onClosed={() => (asked.resumes ? pauseButton : revokeButton).current?.focus()}
        />
      )}
    </>
  );
}

interface BodyProps {
  readonly apiKey: FoundKey;
  readonly found: ReturnType<typeof useOwnedKey>;
  readonly onOpen: (keyId: string) => void;
}

/** Whose key it is, what it did, and how it ended. */
function KeyDrawerBody({ apiKey, found, onOpen }: BodyProps) {
  const { details } = useTexts();
  const admin = useAdminTexts();
  const { owner } = apiKey;
  const status = statusAt(apiKey, useNow());
  return (
    <Stack gap="xl">
      <Summary apiKey={apiKey} />
      {status !== 'active' && <EndNotice apiKey={apiKey} status={status} />}
      <Section title={admin.owner}>
        <div className={classes.note}>
          <Owner owner={owner} />
          <Text size="xs" c="dimmed">
            {owner.id}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          onClick={() => step(searchOfAllKeys({ ...allKeysPlaceOf(''), owner: owner.id }), false)}
        >
          {admin.showOwner}
        </Button>
      </Section>
      {apiKey.note !== null && (
        <Text size="sm" className={classes.note}>
          {apiKey.note}
        </Text>
      )}
      <Usage found={found} />
      <Section title={details.history}>
        <EventsOfKey groups={groupEvents(apiKey.events)} apiKey={apiKey} />
        <Button size="xs" variant="default" onClick={() => step(searchOfAudit({ days: {}, of: apiKey.id }), false)}>
          {admin.showEvents}
        </Button>
      </Section>
      <Facts
        apiKey={apiKey}
        rotation={undefined}
        linkTo={(other) => (
          <Button size="xs" variant="default" onClick={() => onOpen(other)}>
            {admin.otherKey}
          </Button>
        )}
      />
    </Stack>
  );
}

/** The person had the permission when the page was loaded. */
export function Lost() {
  const { lost } = useAdminTexts();
  return (
    <Notice tone="warning" title={lost.title}>
      {lost.text}
    </Notice>
  );
}
