import { Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { HelpLink } from '../ui/links';
import { useFocusOnMount } from '../ui/focus';
import { CopyableText } from './CopyableText';
import { FirstUse } from './FirstUse';
import { Snippets } from './Snippets';
import type { Secret } from './useSecret';

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
