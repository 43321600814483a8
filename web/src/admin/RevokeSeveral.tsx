import { Button, Group, Stack, Text } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import { usePanel } from '../base/context';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { useTexts } from '../texts';
import { Dialog, DialogFooter } from '../ui/Dialog';
import { describeFailure } from '../ui/FailureAlert';
import classes from './admin.module.css';
import { nameOf, useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import { NotAdministrator, useEndKey } from './useAllKeys';
import { NoteField, useRevokeForm } from './useRevokeForm';

interface Props {
  /** Active ones. */
  readonly keys: readonly OwnedKey[];
  readonly onClear: () => void;
}

/** What an administrator does with the selected keys: end all of them. */
export function RevokeSeveral({ keys, onClear }: Props) {
  const { several } = useAdminTexts();
  // The keys that have ended leave the selection, but not the dialog.
  const [ending, setEnding] = useState<readonly OwnedKey[]>([]);
  const [opened, setOpened] = useState(false);
  /** While keys end, nobody looks away from what is done. */
  const isEnding = useRef(false);
  const close = () => {
    if (!isEnding.current) setOpened(false);
  };
  const open = () => {
    setEnding(keys);
    setOpened(true);
  };
  return (
    <>
      {keys.length > 0 && (
        <Group className={classes.selected}>
          <Text size="sm" role="status">
            {several.chosen(keys.length)}
          </Text>
          <Button size="xs" variant="default" onClick={onClear}>
            {several.clear}
          </Button>
          <Button size="xs" color="red" onClick={open}>
            {several.revoke(keys.length)}
            {'…'}
          </Button>
        </Group>
      )}
      <Dialog opened={opened} onClose={close} closesOnClickOutside={false} title={several.title(ending.length)}>
        <RevokeForm keys={ending} isEnding={isEnding} onClose={close} />
      </Dialog>
    </>
  );
}

/** One call after the other. What refuses the confirmation stops them; what fails for one key does not. */
function RevokeForm({
  keys,
  isEnding,
  onClose,
}: {
  readonly keys: readonly OwnedKey[];
  readonly isEnding: RefObject<boolean>;
  readonly onClose: () => void;
}) {
  const texts = useTexts();
  const { several } = useAdminTexts();
  const { announce } = usePanel();
  const { end } = useEndKey();
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const [isOver, setOver] = useState(false);
  const form = useRevokeForm('', async (body, onRetry) => {
    isEnding.current = true;
    try {
      await endAll(body, onRetry);
    } finally {
      isEnding.current = false;
    }
  });
  const endAll = async (body: Parameters<typeof end>[1], onRetry: () => void) => {
    // A refused confirmation may have stopped an earlier attempt.
    const known = { ...results };
    for (const { id } of keys) {
      if (known[id] !== undefined) continue;
      // oxlint-disable-next-line no-await-in-loop
      const result = await withRetries(() => end(id, body), onRetry).then(
        () => several.done,
        (error: unknown) => {
          if (hasCode(error, 'api_key_not_active')) return several.already;
          if (isAboutPerson(error)) throw error;
          return several.failed(describeFailure(error, texts));
        },
      );
      known[id] = result;
      setResults({ ...known });
    }
    setOver(true);
    const ended = Object.values(known).filter((result) => result === several.done || result === several.already);
    announce(several.over(ended.length, keys.length));
  };
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={form.isBusy}>
      <Stack gap="md">
        <Text size="sm">{several.consequence}</Text>
        <ul aria-label={several.list} className={classes.several}>
          {keys.map(({ id, name, prefix, owner }) => (
            <li key={id}>
              <strong>
                <bdi>{name}</bdi>
              </strong>{' '}
              <code>{prefix}</code> · <bdi>{nameOf(owner)}</bdi>
              {results[id] !== undefined && <div>{results[id]}</div>}
            </li>
          ))}
        </ul>
        {isOver ? (
          <DialogFooter>
            <Button onClick={onClose}>{texts.close}</Button>
          </DialogFooter>
        ) : (
          <>
            <NoteField form={form} />
            <ConfirmAndSubmit
              newKey={form}
              form={form}
              submitLabel={several.revoke(keys.length)}
              isDangerous
              onCancel={onClose}
            />
          </>
        )}
      </Stack>
    </form>
  );
}

const isAboutPerson = (error: unknown): boolean =>
  error instanceof NotAdministrator ||
  hasCode(
    error,
    'incorrect_password',
    'invalid_fields',
    'confirmation_required',
    'unauthenticated',
    'another_person',
    'too_many_attempts',
  );
