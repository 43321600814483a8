import { useState } from 'react';
import type { ApiKey } from '../api/types';
import { useApiKeys } from '../key/useApiKeys';
import { expiryWithin } from '../new-key/expiry';
import { NewKeyDialog } from '../new-key/NewKeyDialog';
import { useReturned } from '../new-key/useReturned';
import { useTexts } from '../texts';
import { draftFor } from './form';
import { RotateForm } from './RotateForm';
import { serviceTime } from '../time/useNow';

interface Props {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: (madeKeyId?: string) => void;
}

/** Created again each time it opens, so that an attempt never continues for another key. */
export function RotateDialog({ apiKey, ...dialog }: Props) {
  const { rotate } = useTexts();
  const { policy } = useApiKeys();
  const typed = useReturned()?.typed;
  const [draft, setDraft] = useState(() => (typed?.form === 'rotate' ? typed.draft : draftFor(apiKey, policy)));
  return (
    <NewKeyDialog
      form="rotate"
      title={rotate.title(apiKey.name)}
      {...dialog}
      advice={`${rotate.advice} ${rotate.graceText[draft.grace]}`}
    >
      {(newKey, close) => (
        <RotateForm
          replaced={apiKey}
          draft={{ ...draft, expiry: expiryWithin(draft.expiry, policy.maxKeyDays, serviceTime()) }}
          onDraft={setDraft}
          newKey={newKey}
          onCancel={close}
        />
      )}
    </NewKeyDialog>
  );
}
