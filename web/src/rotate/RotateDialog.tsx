import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { CreateStep } from './CreateStep';
import { RevokeStep } from './RevokeStep';
import { StepHeading } from './StepHeading';
import { useRotation } from './useRotation';
import { VerifyStep } from './VerifyStep';

interface Props {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Replaces a key so that one always works: create a twin, see it used, revoke the old key. */
export function RotateDialog({ apiKey, opened, onClose, onClosed }: Props) {
  const texts = useTexts();
  const rotation = useRotation(apiKey, onClose);
  const { step, secret } = rotation;
  return (
    <Dialog
      opened={opened}
      onClose={rotation.close}
      onClosed={onClosed}
      size="lg"
      title={secret.isAsking ? texts.reveal.early.title : texts.rotate.title(apiKey.name)}
    >
      {!secret.isAsking && <StepHeading step={step} />}
      {step === 1 && <CreateStep apiKey={apiKey} rotation={rotation} />}
      {step === 2 && rotation.twin && <VerifyStep old={apiKey} twin={rotation.twin} rotation={rotation} />}
      {step === 3 && rotation.twin && <RevokeStep old={apiKey} twin={rotation.twin} rotation={rotation} />}
    </Dialog>
  );
}
