import { Button, Text } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../texts';
import { PlusIcon } from '../ui/icons';
import { ActiveCount } from './ActiveCount';
import classes from './KeysToolbar.module.css';

interface Props {
  readonly activeKeys: number | undefined;
  readonly maxActiveKeys: number | undefined;
  /** The form depends on the owner, who is still loading. */
  readonly isWaiting: boolean;
  readonly onCreate: () => void;
}

export function KeysToolbar({ activeKeys, maxActiveKeys, isWaiting, onCreate }: Props) {
  const texts = useTexts();
  const limitId = useId();
  const limit = activeKeys !== undefined && maxActiveKeys !== undefined && activeKeys >= maxActiveKeys;
  return (
    <div className={classes.toolbar}>
      <Text c="dimmed" size="sm" className={classes.intro}>
        {texts.keys.intro}
      </Text>
      <div className={classes.row}>
        {activeKeys !== undefined && maxActiveKeys !== undefined && (
          <ActiveCount active={activeKeys} most={maxActiveKeys} />
        )}
        {/* Not `disabled`, so that the button can be focused and everyone can read the reason. */}
        <Button
          className={classes.create}
          leftSection={<PlusIcon />}
          {...((limit || isWaiting) && { 'aria-disabled': true, 'data-disabled': true })}
          aria-describedby={limit ? limitId : undefined}
          onClick={() => !limit && !isWaiting && onCreate()}
        >
          {texts.keys.create}
        </Button>
      </div>
      {limit && (
        <Text size="sm" className={classes.limit} id={limitId}>
          {texts.keys.limit(maxActiveKeys)}
        </Text>
      )}
    </div>
  );
}
