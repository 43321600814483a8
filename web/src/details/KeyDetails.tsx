import { ActionIcon } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { useKeyDialogs } from '../key/actions';
import { statusAt } from '../key/status';
import { useKey, useRotation } from '../key/useKey';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { EditIcon } from '../ui/icons';
import { SidePanel } from '../ui/SidePanel';
import { useFocusReturn } from '../ui/focus';
import { KeyActions, type NextStep } from './WhatToDo';
import { KeyDetailsBody } from './KeyDetailsBody';
import { NoKey } from '../history/Usage';
import { RenameForm } from './RenameForm';

interface Props {
  /** Undefined: closed. */
  readonly keyId: string | undefined;
  /** Whether it opens with the fields for name and note. */
  readonly startsRenaming?: boolean;
  readonly onOpen: (keyId: string) => void;
  readonly onClose: () => void;
}

/** The usage, newest events and facts of one key. */
export function KeyDetails({ keyId, startsRenaming = false, onOpen, onClose }: Props) {
  const texts = useTexts();
  const { details } = texts;
  const { act, create } = useKeyDialogs();
  // Kept after it is closed, so that it still has its texts while it fades out.
  const last = useRef(keyId);
  if (keyId !== undefined) last.current = keyId;
  const opened = keyId !== undefined;
  const found = useKey(last.current, opened);
  const { rotation } = useRotation(found.key, opened);
  const focus = useFocusReturn(opened);
  const edit = useRef<HTMLButtonElement>(null);
  const [renaming, setRenaming] = useState({ keyId, startsRenaming, isOn: startsRenaming });
  // Each opened key begins as it was asked for.
  if (renaming.keyId !== keyId || renaming.startsRenaming !== startsRenaming) {
    setRenaming({ keyId, startsRenaming, isOn: startsRenaming });
  }
  const rename = (isOn: boolean) => setRenaming({ keyId, startsRenaming, isOn });
  const next = useRef<NextStep>(undefined);
  const choose = (step: NextStep) => {
    next.current = step;
    onClose();
  };
  // One dialog after the other, because two at a time would both trap the focus.
  const afterwards = () => {
    const step = next.current;
    next.current = undefined;
    if (!step || !found.key) focus.restore();
    else if (step === 'create') create(found.key);
    else {
      const action = typeof step === 'string' ? { kind: step } : ({ kind: 'rotate', narrower: step } as const);
      act({ ...action, key: found.key, rotation, opener: focus.opener() });
    }
  };
  const hasStopped = useRef(false);
  const stopRenaming = () => {
    // Back to where the person came from.
    if (startsRenaming) return onClose();
    hasStopped.current = true;
    rename(false);
  };

  const now = useNow();
  const key = hasCode(found.error, 'not_found') ? undefined : found.key;
  const isRenaming = renaming.isOn && key !== undefined;
  // Only now is the button there again.
  useEffect(() => {
    if (!isRenaming && hasStopped.current) edit.current?.focus();
    hasStopped.current = false;
  }, [isRenaming]);
  return (
    <SidePanel
      opened={opened}
      title={found.key?.name ?? details.title}
      subject={keyId}
      isEdited={isRenaming}
      action={
        key && (
          <ActionIcon
            ref={edit}
            variant="subtle"
            color="gray"
            c="inherit"
            aria-label={details.edit}
            title={details.edit}
            onClick={() => rename(true)}
          >
            <EditIcon />
          </ActionIcon>
        )
      }
      form={isRenaming ? <RenameForm apiKey={key} onDone={stopRenaming} /> : undefined}
      footer={key && statusAt(key, now) === 'active' && <KeyActions apiKey={key} rotation={rotation} onNext={choose} />}
      onClose={onClose}
      onClosed={afterwards}
    >
      {key ? (
        <KeyDetailsBody
          apiKey={key}
          found={found}
          rotation={rotation}
          isRenaming={isRenaming}
          onOpen={onOpen}
          onNext={choose}
        />
      ) : (
        <NoKey found={found} />
      )}
    </SidePanel>
  );
}
