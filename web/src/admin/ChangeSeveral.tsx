import { Button, Group, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { dangerous } from '../ui/buttons';
import { Dialog } from '../ui/Dialog';
import { useFocusReturn } from '../ui/focus';
import { describeFailure } from '../ui/Notice';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import { RevokeSeveralForm } from './RevokeSeveralForm';
import { useChangeKeys } from './useAllKeys';

/** How many calls the browser makes at once: a further one would wait, and its time run out. */
const MAX_CALLS = 6;

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
        <RevokeSeveralForm
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
