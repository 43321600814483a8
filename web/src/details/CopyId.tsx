import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts';
import { CheckIcon, CopyIcon } from '../ui/icons';
import classes from './details.module.css';

const SHOWN_MS = 4000;

/** Few people need the id, so it is not shown unless the browser can't copy (plain http, a policy, a refusal). */
export function CopyId({ id }: { readonly id: string }) {
  const { details, keys } = useTexts();
  const [outcome, setOutcome] = useState<'copied' | 'shown'>();
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    if (outcome === 'shown' && shown.current) getSelection()?.selectAllChildren(shown.current);
    if (outcome !== 'copied') return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      setOutcome('copied');
    } catch {
      setOutcome('shown');
    }
  };
  const isCopied = outcome === 'copied';
  return (
    <div className={classes.copyId}>
      <Button
        size="xs"
        variant="default"
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void copy()}
      >
        {isCopied ? details.copied : keys.copyId}
      </Button>
      {outcome === 'shown' && <code ref={shown}>{id}</code>}
      <span role="status" className={classes.aloud}>
        {isCopied && details.copiedAloud}
      </span>
    </div>
  );
}
