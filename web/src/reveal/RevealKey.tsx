import { Button, Group, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { HelpLink } from '../ui/links';
import { useFocusOnMount } from '../ui/focus';
import { CopyableText } from './CopyableText';
import { FirstUse } from './FirstUse';
import { Snippets } from './Snippets';

interface Props {
  readonly created: CreatedKey;
  readonly secret: Secret;
  /** What to do with the key, if the form does not say it. */
  readonly advice: string | undefined;
  /** Asks first if the key was not copied. */
  readonly onDone: () => void;
}

export function RevealKey({ created: { apiKey, fullKey }, secret, advice, onDone }: Props) {
  const { isCopied, setCopied } = secret;
  const texts = useTexts();
  const { docsUrl } = usePanel();
  const { reveal } = texts;
  const copyButton = useFocusOnMount<HTMLButtonElement>();
  return (
    <Stack gap="md">
      <CopyableText
        text={fullKey}
        label={reveal.keyLabel}
        hint={reveal.keep}
        buttonRef={copyButton}
        onCopied={setCopied}
        lead={reveal.once}
        isNext={!isCopied}
      />
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      <div>
        <Group justify="space-between" align="baseline" gap="xs">
          <Text size="sm" fw={600}>
            {reveal.use}
          </Text>
          <HelpLink url={docsUrl} label={reveal.docs} />
        </Group>
        <Snippets fullKey={fullKey} onKeyCopied={setCopied} />
      </div>
      <DialogFooter>
        <FirstUse keyId={apiKey.id} />
        <Button variant={isCopied ? 'filled' : 'default'} onClick={onDone}>
          {texts.done}
        </Button>
      </DialogFooter>
    </Stack>
  );
}

interface EarlyCloseProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Replaces the key within the same dialog, so that Escape leads back and no dialog covers another. */
export function EarlyClose({ onStay, onLeave }: EarlyCloseProps) {
  const { early } = useTexts().reveal;
  const stay = useFocusOnMount<HTMLButtonElement>();
  return (
    <Stack gap="md">
      <Text size="sm" role="alert">
        {early.text}
      </Text>
      <DialogFooter>
        <Button variant="default" onClick={onLeave}>
          {early.leave}
        </Button>
        <Button ref={stay} onClick={onStay}>
          {early.stay}
        </Button>
      </DialogFooter>
    </Stack>
  );
}

export type Secret = ReturnType<typeof useSecret>;

/**
 * Holds a new key while it is shown. The key is in no cache, no storage and no URL. It is forgotten when the person
 * leaves the page, before the browser keeps the page for "back", so that a restored page contains no secret.
 *
 * @param onLeft called when the page was left while the key was shown
 */
export function useSecret(onLeft: () => void) {
  const [created, setCreated] = useState<CreatedKey>();
  const [isCopied, markCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);

  const forget = () => {
    setCreated(undefined);
    markCopied(false);
    setAsking(false);
  };

  const { gate } = usePanel();
  const isShown = created !== undefined;
  useEffect(() => (isShown ? gate.hold() : undefined), [isShown, gate]);
  useWindowEvent('pagehide', () => {
    if (!isShown) return;
    flushSync(() => {
      forget();
      onLeft();
    });
    getSelection()?.removeAllRanges();
  });

  const mustAsk = isShown && !isCopied;
  useEffect(() => {
    if (!mustAsk) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [mustAsk]);

  /** Closes if the key was copied, or asks the person first. Closing that question leads back to the key. */
  const requestClose = (close: () => void) => {
    if (isAsking) setAsking(false);
    else if (mustAsk) setAsking(true);
    else close();
  };

  const stay = () => setAsking(false);
  const setCopied = () => markCopied(true);
  return { created, isAsking, isCopied, show: setCreated, setCopied, stay, forget, requestClose };
}
