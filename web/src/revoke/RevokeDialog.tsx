import { useRef } from 'react';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import type { Rotation } from '../rotate/rotation';
import { useRotation } from '../rotate/useRotation';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { revokeWords } from './revoke-words';
import { RevokeForm } from './RevokeForm';
import { useRevokeKey } from './useRevokeKey';

interface Props {
  readonly apiKey: ApiKey;
  /** The rotation that the key was part of when the dialog was opened. */
  readonly rotation: Rotation | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

export function RevokeDialog({ apiKey, rotation, opened, onClose, onClosed }: Props) {
  const texts = useTexts();
  const { announce } = usePanel();
  // While the person decides, the other key may end or come into use.
  const current = useRotation(rotation && apiKey, opened);
  const words = useRef(revokeWords(apiKey, rotation, texts));
  if (opened) words.current = revokeWords(apiKey, current.isKnown ? current.rotation : rotation, texts);
  const revoke = useRevokeKey((message) => {
    onClose();
    announce(message);
  });
  const close = () => {
    if (revoke.isPending) return;
    revoke.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} onClosed={onClosed} title={words.current.title}>
      <RevokeForm
        apiKey={apiKey}
        words={words.current}
        error={revoke.error}
        isPending={revoke.isPending}
        onRevoke={() => revoke.mutate({ key: apiKey, rotation: current.rotation })}
        onCancel={close}
      />
    </Dialog>
  );
}
