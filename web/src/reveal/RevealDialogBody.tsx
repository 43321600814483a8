import { Button, Text } from '@mantine/core';
import type { CreatedKey } from '../api/types';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { useFocusOnMount } from '../ui/focus';
import { RevealKey } from './RevealKey';
import type { Secret } from './useSecret';

interface Props {
  readonly created: CreatedKey;
  readonly secret: Secret;
  /** Asks first if the key was not copied. */
  readonly onClose: () => void;
  readonly onLeave: () => void;
  /** What to do with the key, if the form does not say it. */
  readonly advice?: string;
}

export function RevealDialogBody({ created, secret, onClose, onLeave, advice }: Props) {
  if (secret.isAsking) return <EarlyClose onStay={secret.stay} onLeave={onLeave} />;
  return <RevealKey created={created} onCopied={secret.setCopied} onDone={onClose} advice={advice} />;
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
    <>
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
    </>
  );
}
