import { Button, Text } from '@mantine/core';
import { useId } from 'react';
import type { KeyPolicy } from '../api/types';
import { mayMakeKeys, useCanMakeKeys } from '../key/list';
import { useTexts } from '../texts';
import { PlusIcon } from '../ui/icons';
import classes from './KeysToolbar.module.css';
import { limitText } from '../key/limits';

interface Props {
  readonly activeKeys: number | undefined;
  readonly policy: KeyPolicy;
  /** The form depends on the owner, who is still loading. */
  readonly isWaiting: boolean;
  readonly onCreate: () => void;
}

export function KeysToolbar({ activeKeys, policy, isWaiting, onCreate }: Props) {
  const texts = useTexts();
  const limitId = useId();
  const canMakeKeys = useCanMakeKeys();
  const limit = canMakeKeys && activeKeys !== undefined && activeKeys >= policy.maxActiveKeys;
  return (
    <div className={classes.toolbar}>
      <div className={classes.row}>
        <div className={classes.lead}>
          <Text c="dimmed" size="sm">
            {texts.keys.intro}
          </Text>
          <Text size="sm" mih="1lh">
            {activeKeys !== undefined && <ActiveCount active={activeKeys} most={policy.maxActiveKeys} />}
          </Text>
        </div>
        {canMakeKeys && (
          // Not `disabled`, so that the button can be focused and everyone can read the reason.
          <Button
            className={classes.create}
            leftSection={<PlusIcon />}
            {...((limit || isWaiting) && { 'aria-disabled': true, 'data-disabled': true })}
            aria-describedby={limit ? limitId : undefined}
            onClick={() => !limit && !isWaiting && onCreate()}
          >
            {texts.keys.create}
          </Button>
        )}
      </div>
      {!mayMakeKeys(policy) && <Text size="sm">{texts.keys.limits.noNewKeys}</Text>}
      {limit && (
        <Text size="sm" className={classes.limit} id={limitId}>
          {limitText(policy, 'maxActiveKeys', texts)} {texts.keys.limits.revoke}
        </Text>
      )}
    </div>
  );
}

const MAX_PLACES = 10;

interface ActiveCountProps {
  readonly active: number;
  readonly most: number;
}

/** "3 active keys, 2 more possible", with a mark for each place unless there are many. */
function ActiveCount({ active, most }: ActiveCountProps) {
  const texts = useTexts();
  return (
    <Text component="span" size="sm" c="dimmed" className={classes.count}>
      {most <= MAX_PLACES && (
        <span className={classes.places} aria-hidden="true">
          {Array.from({ length: most }, (_, place) => (
            <span key={place} className={classes.place} data-taken={place < active || undefined} />
          ))}
        </span>
      )}
      {texts.keys.activeOf(active, most)}
    </Text>
  );
}
