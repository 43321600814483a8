import { Button, Text, VisuallyHidden } from '@mantine/core';
import { useRef, type RefObject } from 'react';
import { useTexts } from '../texts';
import { CheckIcon, CopyIcon } from '../ui/icons';
import { useCopy } from '../ui/useCopy';
import classes from './reveal.module.css';

interface Props {
  readonly text: string;
  readonly label: string;
  /** Shown above an example, and below the key. */
  readonly hint: string;
  /** The hints of texts that take the same place. */
  readonly hints?: readonly string[];
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
  /** Shown above the key itself, which is no example of its use. */
  readonly lead?: string;
  /** Whether its button is the one to press next. */
  readonly isNext?: boolean;
  /** Called when the text was copied, by the button or by hand. */
  readonly onCopied?: () => void;
}

/**
 * Not an input: browsers keep the text of inputs, to restore it later. If the clipboard cannot be used (plain http, a
 * policy, a refusal), the text is selected.
 */
export function CopyableText({ text, label, hint, ...given }: Props) {
  const { hints = [hint], buttonRef, lead, isNext = false, onCopied } = given;
  const { reveal } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const { isCopied, isBlocked, copy, showCopied } = useCopy();
  // A line that is only a key breaks first between the two parts of the key.
  const secret = text.includes('\n') ? 0 : text.indexOf('.') + 1;
  const copyLabel = lead === undefined ? reveal.copySnippet : reveal.copyKey;

  const press = async () => {
    if (await copy(text)) return onCopied?.();
    box.current?.focus();
    if (box.current) selectText(box.current);
  };
  /** A part of the key is no copy of it. */
  const noticeCopy = () => {
    if (!String(getSelection()).includes(text)) return;
    showCopied();
    onCopied?.();
  };

  return (
    <div className={classes.copyable} data-main={lead !== undefined || undefined}>
      {lead !== undefined && (
        <Text size="sm" role="status" fw={600}>
          {lead}
        </Text>
      )}
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
        {text.slice(0, secret)}
        <wbr />
        {text.slice(secret)}
      </div>
      <Button
        ref={buttonRef}
        className={classes.copy}
        variant={isNext ? 'filled' : 'default'}
        data-copied={isCopied || undefined}
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void press()}
      >
        <Swap shown={isCopied ? reveal.copied : copyLabel} among={[reveal.copied, copyLabel]} />
      </Button>
      <div role="status" className={classes.hint}>
        <Swap shown={isBlocked ? reveal.blocked : hint} among={[reveal.blocked, ...hints]} />
        {isCopied && <VisuallyHidden>{reveal.copiedAloud}</VisuallyHidden>}
      </div>
    </div>
  );
}

function selectText(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
}

interface SwapProps {
  readonly shown: string;
  /** Every text that may be shown. */
  readonly among: readonly string[];
}

/** Takes the space of the largest text, so that nothing moves when another one is shown: each text is its own element. */
function Swap({ shown, among }: SwapProps) {
  return (
    <span className={classes.swap}>
      {among.map((text) => (
        <span key={text} className={classes.size} data-text={text} aria-hidden="true" />
      ))}
      <span key={`shown: ${shown}`}>{shown}</span>
    </span>
  );
}
