import { Button, Text } from '@mantine/core';
import { useEffect, useId } from 'react';
import { createPortal } from 'react-dom';
import { useOwner, usePanel } from '../base/context';
import { useKeyDialogs } from '../key/actions';
import { limitText } from '../key/limits';
import type { Suggestion } from '../base/place';
import { mayMakeKeys, useApiKeys, useCanMakeKeys } from '../key/list';
import { useTexts } from '../texts';
import { PlusIcon } from '../ui/icons';
import classes from './Panel.module.css';

interface Props {
  /** Whether the tab is one of the keys', and none of the page around them. */
  readonly isOfKeys: boolean;
  /** The form for a new key opens with it, where there may be a new key. */
  readonly suggestion: Suggestion | undefined;
  readonly onSuggested: () => void;
}

/** What keys are and the button for a new one, in the panel's head; and below the tabs why there can't be one. */
export function KeysHead({ isOfKeys, suggestion, onSuggested }: Props) {
  const texts = useTexts();
  const { head } = usePanel();
  const { create } = useKeyDialogs();
  const whyId = useId();
  const canMakeKeys = useCanMakeKeys();
  // Only the form for a new key depends on the owner.
  const { isPending: isOwnerPending } = useOwner();
  const { policy, ...list } = useApiKeys(isOfKeys);
  const isFull = canMakeKeys && list.isFull;
  const limit = isFull && `${limitText(policy, 'maxActiveKeys', texts)} ${texts.keys.limits.revoke}`;
  const why = mayMakeKeys(policy) ? limit : texts.keys.limits.noNewKeys;
  const isOff = isFull || isOwnerPending || list.isPending || list.isIncomplete;
  const isReady = suggestion !== undefined && list.isSuccess && !list.isIncomplete && !isOwnerPending;
  useEffect(() => {
    if (!isReady) return;
    onSuggested();
    if (canMakeKeys && !isFull) create(suggestion);
  }, [isReady]);
  // An empty list has its own button.
  const isEmpty = list.isSuccess && list.keys.length === 0;
  return (
    <>
      {head &&
        createPortal(
          <>
            {isOfKeys && canMakeKeys && !isEmpty && (
              // Not `disabled`, so that the button can be focused and everyone can read the reason.
              <Button
                className={classes.create}
                leftSection={<PlusIcon />}
                {...(isOff && { 'aria-disabled': true, 'data-disabled': true })}
                aria-describedby={why ? whyId : undefined}
                onClick={() => !isOff && create()}
              >
                {texts.keys.create}
              </Button>
            )}
            {isOfKeys && (
              <Text c="dimmed" size="sm" className={classes.intro}>
                {texts.keys.intro}
              </Text>
            )}
          </>,
          head,
        )}
      {isOfKeys && why && (
        <Text size="sm" mb="lg" id={whyId}>
          {why}
        </Text>
      )}
    </>
  );
}

/** "3 active keys, 2 more possible", right of the tabs. */
export function ActiveCount() {
  const texts = useTexts();
  const { activeKeys, keys, policy } = useApiKeys();
  return (
    <span className={classes.count}>
      {activeKeys !== undefined && keys.length > 0 && texts.keys.activeOf(activeKeys, policy.maxActiveKeys)}
    </span>
  );
}
