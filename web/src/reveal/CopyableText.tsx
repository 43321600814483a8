import { Button, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useTexts } from '../texts';
import { CheckIcon, CopyIcon } from '../ui/icons';
import { Swap } from '../ui/Swap';
import classes from './reveal.module.css';

const SHOWN_MS = 4000;

interface Props {
  readonly text: string;
  readonly label: string;
  readonly copyLabel: string;
  /** Shown below the text. */
  readonly hint: string;
  /** The hints of texts that take the same place. */
  readonly hints?: readonly string[];
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
  /** Whether it is the key itself, not an example of its use. */
  readonly isMain?: boolean;
  /** Called when the text was copied, by the button or by hand. */
  readonly onCopied?: () => void;
}

/**
 * Not an input: browsers keep the text of inputs, to restore it later. If the clipboard cannot be used (plain http, a
 * policy, a refusal), the text is selected.
 */
export function CopyableText({ text, label, copyLabel, hint, ...given }: Props) {
  const { hints = [hint], buttonRef, isMain = false, onCopied } = given;
  const { reveal } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'blocked'>();
  const isCopied = outcome === 'copied';

  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const finish = () => {
    setOutcome('copied');
    onCopied?.();
  };
  const copy = () =>
    navigator.clipboard.writeText(text).then(finish, () => {
      box.current?.focus();
      if (box.current) selectText(box.current);
      setOutcome('blocked');
    });
  /** A part of the key is no copy of it. */
  const noticeCopy = () => {
    if (String(getSelection()).includes(text)) finish();
  };

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
        onCopy={noticeCopy}
      >
        {text}
      </div>
      <Button
        ref={buttonRef}
        className={classes.copy}
        variant={isMain ? 'filled' : 'default'}
        size={isMain ? 'sm' : 'xs'}
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        aria-label={isCopied ? reveal.copied : copyLabel}
        onClick={() => void copy()}
      >
        <Swap shown={isCopied ? reveal.copied : reveal.copy} among={[reveal.copied, reveal.copy]} />
      </Button>
      <div role="status" className={classes.hint}>
        <Swap shown={outcome === 'blocked' ? reveal.blocked : hint} among={[reveal.blocked, ...hints]} />
        {isCopied && <VisuallyHidden>{reveal.copiedAloud}</VisuallyHidden>}
      </div>
    </div>
  );
}

function selectText(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
}
