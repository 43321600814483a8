import type { ApiKey } from '../api/types';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { RevokeForm } from './RevokeForm';
import { useRevokeKey } from './useRevokeKey';

interface Props {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

export function RevokeDialog({ apiKey, opened, onClose, onClosed }: Props) {
  const texts = useTexts();
  const { announce } = usePanel();
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
    <Dialog opened={opened} onClose={close} onClosed={onClosed} title={texts.revoke.title(apiKey.name)}>
      <RevokeForm
        apiKey={apiKey}
        error={revoke.error}
        isPending={revoke.isPending}
        onRevoke={() => revoke.mutate(apiKey)}
        onCancel={close}
      />
    </Dialog>
  );
}
