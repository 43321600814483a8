import { useState } from 'react';
import type { ApiKey } from '../api/types';
import { useNewKey } from '../new-key/useNewKey';
import { usePanel } from '../panel/context';
import { RevealDialogBody } from '../reveal/RevealDialogBody';
import { useSecret } from '../reveal/useSecret';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { draftFor } from './form';
import { RotateForm } from './RotateForm';

interface Props {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Shows the form, then the new key. Created again each time it opens, so that an attempt never continues for another key. */
export function RotateDialog({ apiKey, opened, onClose, onClosed }: Props) {
  const texts = useTexts();
  const { rotate, reveal } = texts;
  const { announce, trip } = usePanel();
  const returned = trip?.returned;
  const typed = returned?.typed.form === 'rotate' ? returned.typed : undefined;
  const [draft, setDraft] = useState(() => typed?.draft ?? draftFor(apiKey));
  const secret = useSecret(() => {
    announce(reveal.left);
    onClose();
  });
  const drop = () => {
    announce(texts.create.somebodyElse);
    onClose();
  };
  const newKey = useNewKey(secret.show, drop, typed && returned?.series);
  const finish = () => {
    secret.forget();
    newKey.reset();
    onClose();
  };
  const close = () => (newKey.isBusy ? newKey.giveUp() : secret.requestClose(finish));

  const { created, isAsking } = secret;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      closesOnClickOutside={!created}
      onClosed={onClosed}
      size="lg"
      title={isAsking ? reveal.early.title : created ? reveal.title : rotate.title(apiKey.name)}
    >
      {created ? (
        <RevealDialogBody
          created={created}
          secret={secret}
          onClose={close}
          onLeave={finish}
          advice={`${rotate.advice} ${rotate.graceText[draft.grace]}`}
        />
      ) : (
        <RotateForm replaced={apiKey} draft={draft} onDraft={setDraft} newKey={newKey} onCancel={close} />
      )}
    </Dialog>
  );
}
