import { useState } from 'react';
import type { ApiKey, CreatedKey } from '../api/types';
import { RevealDialogBody } from '../reveal/RevealDialogBody';
import { useSecret } from '../reveal/useSecret';
import { useNewKey } from '../new-key/useNewKey';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { useFocusReturn } from '../ui/useFocusReturn';
import { CreateKeyForm } from './CreateKeyForm';
import { newDraft } from './form';

interface Props {
  /** An ended key whose choices are filled in. */
  readonly like: ApiKey | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Shows the form, then the key, in one dialog. Closing it keeps what was typed, except the password. */
export function CreateKeyDialog({ like, opened, onClose }: Props) {
  const texts = useTexts();
  const { announce, trip } = usePanel();
  const focus = useFocusReturn(opened);
  const returned = trip?.returned;
  const typed = returned?.typed.form === 'create' ? returned.typed : undefined;
  const [draft, setDraft] = useState(() => typed?.draft ?? newDraft(like));
  const secret = useSecret(() => {
    announce(texts.reveal.left);
    onClose();
  });
  const show = (created: CreatedKey) => {
    secret.show(created);
    setDraft(newDraft());
  };
  const drop = () => {
    setDraft(newDraft());
    announce(texts.create.somebodyElse);
    onClose();
  };
  const newKey = useNewKey(show, drop, typed && returned?.series);

  const finish = () => {
    secret.forget();
    newKey.reset();
    onClose();
  };
  // The dialog stays open during a creation, since the answer may contain the secret. But it can be closed while it waits
  // for a sign-in.
  const close = () => (newKey.isBusy ? newKey.giveUp() : secret.requestClose(finish));

  const { created, isAsking } = secret;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      closesOnClickOutside={!created}
      onClosed={focus.restore}
      size="lg"
      title={
        isAsking
          ? texts.reveal.early.title
          : created
            ? texts.reveal.title
            : like
              ? texts.create.titleAgain
              : texts.create.title
      }
    >
      {created ? (
        <RevealDialogBody created={created} secret={secret} onClose={close} onLeave={finish} />
      ) : (
        <CreateKeyForm draft={draft} onDraft={setDraft} newKey={newKey} onCancel={close} />
      )}
    </Dialog>
  );
}
