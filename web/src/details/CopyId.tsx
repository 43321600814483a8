import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTexts } from '../texts';
import { CheckIcon, CopyIcon } from '../ui/icons';
import { useCopy } from '../ui/useCopy';
import classes from './details.module.css';

/** Few people need the id, so it is not shown unless the browser can't copy (plain http, a policy, a refusal). */
export function CopyId({ id }: { readonly id: string }) {
  const { details, keys } = useTexts();
  const { isCopied, isBlocked, copy } = useCopy();
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isBlocked && shown.current) getSelection()?.selectAllChildren(shown.current);
  }, [isBlocked]);
  return (
    <div className={classes.copyId}>
      <Button
        size="xs"
        variant="default"
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void copy(id)}
      >
        {isCopied ? details.copied : keys.copyId}
      </Button>
      {isBlocked && <code ref={shown}>{id}</code>}
      <span role="status" className={classes.aloud}>
        {isCopied && details.copiedAloud}
      </span>
    </div>
  );
}
