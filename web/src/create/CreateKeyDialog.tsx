import { useState } from 'react';
import type { ApiKey } from '../api/types';
import { useFocusReturn } from '../ui/focus';
import { focusRow } from '../key/actions';
import { isToReplace } from '../key/leak';
import { useApiKeys } from '../key/list';
import { NewKeyDialog } from '../new-key/NewKeyDialog';
import { useReturned } from '../base/context';
import type { Suggestion } from '../base/place';
import { useTexts } from '../texts';
import { CreateKeyForm } from './CreateKeyForm';
import { newDraft, within } from './form';

interface Props {
  /** An ended key, or what a link suggests: its choices are filled in. */
  readonly like: ApiKey | Suggestion | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Closing it keeps what was typed, except the password. */
export function CreateKeyDialog({ like, opened, onClose }: Props) {
  const { create, rotate } = useTexts();
  const focus = useFocusReturn(opened);
  const { policy } = useApiKeys(opened);
  const typed = useReturned()?.typed;
  const [draft, setDraft] = useState(() =>
    typed?.form === 'create' ? { ...newDraft(policy), ...typed.draft } : newDraft(policy, like),
  );
  const again = like && 'id' in like ? like : undefined;
  return (
    <NewKeyDialog
      form="create"
      title={again && isToReplace(again) ? rotate.leaked.title(again.name) : again ? create.titleAgain : create.title}
      opened={opened}
      onClose={onClose}
      onClosed={(made) => (made === undefined ? focus.restore() : focusRow(made, focus.restore))}
      onOver={() => setDraft(newDraft(policy, like))}
    >
      {(newKey, close) => (
        <CreateKeyForm
          draft={within(draft, policy)}
          policy={policy}
          isFromLink={like !== undefined && !again}
          onDraft={setDraft}
          newKey={newKey}
          onCancel={close}
        />
      )}
    </NewKeyDialog>
  );
}
