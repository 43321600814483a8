import { Button, Group, Stack, Text } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { withRetries } from '../api/retry';
import { usePanel } from '../base/context';
import list from '../keys/KeyList.module.css';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { useTexts } from '../texts';
import { dangerous } from '../ui/dangerous';
import { Dialog, DialogFooter } from '../ui/Dialog';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { nameOf, useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import { type EndOfKey, useEndKey } from './useAllKeys';
import { NoteField, useRevokeForm } from './useRevokeForm';

/** How many keys the service ends with one call. */
const MAX_AT_ONCE = 100;

interface Props {
  /** Active ones. */
  readonly keys: readonly OwnedKey[];
  /** What an administrator left to sign in. */
  readonly left: { readonly keys: readonly OwnedKey[]; readonly note: string } | undefined;
  readonly onClear: () => void;
}

/** What an administrator does with the selected keys: end all of them. */
export function RevokeSeveral({ keys, left, onClear }: Props) {
  const { several } = useAdminTexts();
  // The keys that have ended leave the selection, but not the dialog.
  const [ending, setEnding] = useState(left?.keys ?? []);
  const [opened, setOpened] = useState(left !== undefined);
  /** What has been done. */
  const [over, setOver] = useState<string>();
  /** While keys end, nobody looks away from what is done. */
  const isEnding = useRef(false);
  const close = () => {
    if (!isEnding.current) setOpened(false);
  };
  const open = () => {
    setEnding(keys);
    setOver(undefined);
    setOpened(true);
  };
  return (
    <>
      {keys.length > 0 && (
        <Group gap="sm" className={classes.selected}>
          <Text size="sm" role="status">
            {several.chosen(keys.length)}
          </Text>
          <Button size="xs" variant="default" onClick={onClear}>
            {several.clear}
          </Button>
          <Button size="xs" {...dangerous} onClick={open}>
            {several.revoke(keys.length)}
            {'…'}
          </Button>
        </Group>
      )}
      <Dialog opened={opened} onClose={close} closeOnClickOutside={false} title={over ?? several.title(ending.length)}>
        <RevokeForm
          keys={ending}
          note={left?.note ?? ''}
          isEnding={isEnding}
          isOver={over !== undefined}
          onOver={setOver}
          onClose={close}
        />
      </Dialog>
    </>
  );
}

interface FormProps {
  readonly keys: readonly OwnedKey[];
  readonly note: string;
  readonly isEnding: RefObject<boolean>;
  readonly isOver: boolean;
  readonly onOver: (done: string) => void;
  readonly onClose: () => void;
}

function RevokeForm({ keys, note, isEnding, isOver, onOver, onClose }: FormProps) {
  const texts = useTexts();
  const { several } = useAdminTexts();
  const { announce } = usePanel();
  const { endAll } = useEndKey();
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const form = useRevokeForm(keys, note, async (body, onRetry) => {
    isEnding.current = true;
    try {
      await endKeys(body, onRetry);
    } finally {
      isEnding.current = false;
    }
  });
  const whyNot = (code: string) => {
    if (code === 'api_key_not_active') return several.already;
    return several.failed(code === 'not_found' ? texts.details.unknown : texts.failure.unavailable);
  };
  const endKeys = async (body: EndOfKey, onRetry: () => void) => {
    const ids = keys.map(({ id }) => id);
    const known: Record<string, string> = {};
    for (let at = 0; at < ids.length; at += MAX_AT_ONCE) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await withRetries(() => endAll(ids.slice(at, at + MAX_AT_ONCE), body), onRetry);
      for (const id of answer.revoked) known[id] = several.done;
      for (const { id, code } of answer.failed) known[id] = whyNot(code);
      setResults({ ...known });
    }
    const ended = Object.values(known).filter((result) => result === several.done || result === several.already);
    const done = several.over(ended.length, keys.length);
    onOver(done);
    announce(done);
  };
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={form.isBusy}>
      <Stack gap="md">
        {!isOver && <Text size="sm">{several.consequence}</Text>}
        <ul aria-label={several.list} className={classes.several}>
          {keys.map(({ id, name, prefix, owner, lastUsedAt }) => (
            <li key={id}>
              <strong>
                <bdi>{name}</bdi>
              </strong>{' '}
              <code className={list.prefix}>{prefix}</code>
              <span className={list.second}>
                <bdi>{nameOf(owner)}</bdi>
                {' · '}
                {lastUsedAt ? <RelativeTime iso={lastUsedAt} text={texts.keys.used} isPast /> : texts.keys.neverUsed}
              </span>
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
