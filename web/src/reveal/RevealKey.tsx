import { Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { HelpLink } from '../ui/HelpLink';
import { useFocusOnMount } from '../ui/focus';
import { CopyableText } from './CopyableText';
import { FirstUse } from './FirstUse';
import { Snippets } from './Snippets';
import type { Secret } from './useSecret';

interface Props {
  readonly created: CreatedKey;
  readonly isCopied: boolean;
  readonly onCopied: () => void;
  readonly advice: string | undefined;
  readonly onDone: () => void;
}

function RevealKey({ created: { apiKey, fullKey }, isCopied, onCopied, advice, onDone }: Props) {
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
        onCopied={onCopied}
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
        <Snippets fullKey={fullKey} onKeyCopied={onCopied} />
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

interface RevealDialogBodyProps {
  readonly created: CreatedKey;
  readonly secret: Secret;
  /** Asks first if the key was not copied. */
  readonly onClose: () => void;
  readonly onLeave: () => void;
  /** What to do with the key, if the form does not say it. */
  readonly advice?: string;
}

export function RevealDialogBody({ created, secret, onClose, onLeave, advice }: RevealDialogBodyProps) {
  if (secret.isAsking) return <EarlyClose onStay={secret.stay} onLeave={onLeave} />;
  const { isCopied, setCopied } = secret;
  return <RevealKey {...{ created, isCopied, advice }} onCopied={setCopied} onDone={onClose} />;
}

interface EarlyCloseProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Replaces the key within the same dialog, so that Escape leads back and no dialog covers another. */
function EarlyClose({ onStay, onLeave }: EarlyCloseProps) {
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
