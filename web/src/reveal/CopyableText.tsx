import { Button, VisuallyHidden } from '@mantine/core';
import { useRef, type RefObject } from 'react';
import { useTexts } from '../texts';
import { CheckIcon, CopyIcon } from '../ui/icons';
import classes from './reveal.module.css';
import { selectText, useCopy } from './useCopy';

interface Props {
  readonly text: string;
  readonly label: string;
  readonly copyLabel: string;
  readonly copiedAloud: string;
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
  /** Whether it is the key itself, not an example of its use. */
  readonly isMain?: boolean;
}

/** Not an input: browsers keep the text of inputs, to restore it later. */
export function CopyableText({ text, label, copyLabel, copiedAloud, buttonRef, isMain = false }: Props) {
  const texts = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const { outcome, copy } = useCopy(text, box);
  const isCopied = outcome === 'copied';
  return (
    <div className={classes.copyable} data-main={isMain || undefined}>
      <div
        ref={box}
        role="textbox"
        aria-readonly="true"
        aria-multiline="true"
        aria-label={label}
        tabIndex={0}
        className={classes.text}
        onFocus={(event) => selectText(event.currentTarget)}
      >
        {text}
      </div>
      <Button
        ref={buttonRef}
        className={classes.copy}
        variant={isMain ? 'filled' : 'default'}
        size={isMain ? 'sm' : 'xs'}
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void copy()}
      >
        {isCopied ? texts.reveal.copied : copyLabel}
      </Button>
      <div role="status" className={classes.outcome}>
        {isCopied && <VisuallyHidden>{copiedAloud}</VisuallyHidden>}
        {outcome === 'selected' && texts.reveal.selected}
      </div>
    </div>
  );
}
