import { Button, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, type RefObject, useState } from 'react';
import { withRetries } from '../api/retry';
import { nameOf } from '../base/context';
import rows from '../keys/KeyList.module.css';
import { ConfirmedForm } from '../new-key/ConfirmedForm';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { useFocusOnMount } from '../ui/focus';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import { type EndOfKey, useChangeKeys } from './useAllKeys';
import { NoteField, useRevokeForm } from './useRevokeForm';

/** How many keys the service ends with one call. */
const MAX_AT_ONCE = 100;
/** So many may not fit into their list, which the keyboard scrolls then. */
const SCROLLED_FROM = 3;

interface Props {
  readonly keys: readonly OwnedKey[];
  readonly note: string;
  readonly isEnding: RefObject<boolean>;
  /** What has been done. */
  readonly over: string | undefined;
  readonly onOver: (done: string) => void;
  readonly onClose: () => void;
}

/** Names the keys that are to end, and then what became of each. */
export function RevokeSeveralForm({ keys, note, isEnding, over, onOver, onClose }: Props) {
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
function Over({ onClose, children }: Pick<Props, 'onClose'> & { readonly children: ReactNode }) {
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
