import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import { nameOf, usePanel } from '../base/context';
import rows from '../keys/KeyList.module.css';
import { ConfirmedForm } from '../new-key/ConfirmedForm';
import { useTexts } from '../texts';
import { dangerous } from '../ui/buttons';
import { Dialog, DialogFooter } from '../ui/Dialog';
import { useFocusOnMount, useFocusReturn } from '../ui/focus';
import { describeFailure } from '../ui/Notice';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import { type EndOfKey, useChangeKeys } from './useAllKeys';
import { NoteField, useRevokeForm } from './useRevokeForm';

/** How many keys the service ends with one call. */
const MAX_AT_ONCE = 100;
/** How many calls the browser makes at once: a further one would wait, and its time run out. */
const MAX_CALLS = 6;
/** So many may not fit into their list, which the keyboard scrolls then. */
const SCROLLED_FROM = 3;

interface Props {
  /** Active ones. */
  readonly keys: readonly OwnedKey[];
  /** What an administrator left to sign in. */
  readonly left: { readonly keys: readonly OwnedKey[]; readonly note: string } | undefined;
  readonly onClear: () => void;
}

/** What an administrator does with the selected keys: pause or end all of them. */
export function ChangeSeveral({ keys, left, onClear }: Props) {
  const { several } = useAdminTexts();
  const { isPausing, pause } = usePauseSeveral(keys);
  // The keys that have ended leave the selection, but not the dialog.
  const [ending, setEnding] = useState(left?.keys ?? []);
  const [opened, setOpened] = useState(left !== undefined);
  // The bar with the button disappears when none of the keys is left.
  const focus = useFocusReturn(opened);
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
          {/* Not `disabled`: it has the focus. */}
          <Button
            size="xs"
            variant="default"
            onClick={() => void pause()}
            {...(isPausing && { 'aria-disabled': true, 'data-disabled': true })}
          >
            {several.pause}
          </Button>
          <Button size="xs" {...dangerous} onClick={open} disabled={isPausing}>
            {several.revoke(keys.length)}
            {'…'}
          </Button>
        </Group>
      )}
      <Dialog
        opened={opened}
        onClose={close}
        onClosed={focus.restore}
        closeOnClickOutside={false}
        title={over ?? `${several.revoke(ending.length)}?`}
      >
        <RevokeForm
          keys={ending}
          note={left?.note ?? ''}
          isEnding={isEnding}
          over={over}
          onOver={setOver}
          onClose={close}
        />
      </Dialog>
    </>
  );
}

/** Pauses keys for an hour, each with a call of its own. */
function usePauseSeveral(keys: readonly OwnedKey[]) {
  const texts = useTexts();
  const { several, already } = useAdminTexts();
  const { announce } = usePanel();
  const { pause: send } = useChangeKeys();
  const [isPausing, setPausing] = useState(false);
  const whyNot = ({ name }: OwnedKey, reason: unknown) =>
    hasCode(reason, 'api_key_not_active') ? `${already(name)}.` : describeFailure(reason, texts);
  const pause = async () => {
    if (isPausing) return;
    setPausing(true);
    const results: PromiseSettledResult<unknown>[] = [];
    for (let at = 0; at < keys.length; at += MAX_CALLS) {
      const some = keys.slice(at, at + MAX_CALLS).map((key) => send(key, 60));
      // oxlint-disable-next-line no-await-in-loop
      results.push(...(await Promise.allSettled(some)));
    }
    setPausing(false);
    const failures = results.flatMap((each, at) =>
      each.status === 'rejected' ? [whyNot(keys[at]!, each.reason)] : [],
    );
    announce([several.paused(keys.length - failures.length, keys.length), ...new Set(failures)].join(' '));
  };
  return { isPausing, pause };
}

interface FormProps {
  readonly keys: readonly OwnedKey[];
  readonly note: string;
  readonly isEnding: RefObject<boolean>;
  /** What has been done. */
  readonly over: string | undefined;
  readonly onOver: (done: string) => void;
  readonly onClose: () => void;
}

function RevokeForm({ keys, note, isEnding, over, onOver, onClose }: FormProps) {
  const texts = useTexts();
  const { several } = useAdminTexts();
  const isOver = over !== undefined;
  const { endAll } = useChangeKeys();
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
      for (const id of answer.revoked) known[id] = texts.keys.status.revoked;
      for (const { id, code } of answer.failed) known[id] = whyNot(code);
      setResults({ ...known });
    }
    const ended = Object.values(known).filter(
      (result) => result === texts.keys.status.revoked || result === several.already,
    );
    onOver(several.over(ended.length, keys.length));
  };
  const list = (
    <ul
      aria-label={over ?? several.list}
      className={`${classes.several} ${isOver ? '' : classes.ending}`}
      tabIndex={!isOver && keys.length > SCROLLED_FROM ? 0 : undefined}
    >
      {keys.map(({ id, name, prefix, owner, lastUsedAt }) => (
        <li key={id}>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          <code>{prefix}</code>
          <span className={rows.second}>
            <bdi>{nameOf(owner)}</bdi>
            {' · '}
            {lastUsedAt ? <RelativeTime iso={lastUsedAt} text={texts.keys.used} isPast /> : texts.keys.neverUsed}
          </span>
          {results[id] !== undefined && <div>{results[id]}</div>}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {/* The title says it to those who see it. */}
      <VisuallyHidden role="status">{over}</VisuallyHidden>
      {isOver ? (
        <Over onClose={onClose}>{list}</Over>
      ) : (
        <ConfirmedForm form={form} submitLabel={several.revoke(keys.length)} isDangerous onCancel={onClose}>
          <Text size="sm">{several.consequence}</Text>
          {list}
          <NoteField form={form} />
        </ConfirmedForm>
      )}
    </>
  );
}

/** What became of each key, in place of the form. */
function Over({ onClose, children }: Pick<FormProps, 'onClose'> & { readonly children: ReactNode }) {
  const { close } = useTexts();
  const button = useFocusOnMount<HTMLButtonElement>();
  return (
    <Stack gap="md">
      {children}
      <DialogFooter>
        <Button ref={button} onClick={onClose}>
          {close}
        </Button>
      </DialogFooter>
    </Stack>
  );
}
