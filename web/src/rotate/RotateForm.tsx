import { Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useApiKeys } from '../key/useApiKeys';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { ExpiryField } from '../new-key/ExpiryField';
import { dateProblem } from '../new-key/expiry';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useNewKeyForm';
import { usePanel } from '../base/context';
import { fewWords } from '../restrictions/words';
import { useTexts } from '../texts';
import { requestOf, type RotationDraft } from './form';
import { GraceField } from './GraceField';

interface Props {
  readonly replaced: ApiKey;
  readonly draft: RotationDraft;
  readonly onDraft: (draft: RotationDraft) => void;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
}

export function RotateForm({ replaced, draft, onDraft, newKey, onCancel }: Props) {
  const texts = useTexts();
  const { rotate } = texts;
  const { client } = usePanel();
  const { policy } = useApiKeys();
  const limits = fewWords(replaced, texts);
  const form = useNewKeyForm({
    newKey,
    typed: { form: 'rotate', draft, replaced },
    problems: dateProblem(draft.expiry, policy, texts),
    orderOf: (proof) => ({
      name: replaced.name,
      send: (key, token) => client.rotateKey(replaced.id, requestOf(draft, proof), key, token),
    }),
  });
  return (
    <NewKeyFrame newKey={newKey} form={form} lostWords={rotate.lost} onKeep={onCancel}>
      <Text size="sm">
        {rotate.intro} {limits.length > 0 && texts.restrictions.same(limits.join(' · '))}
      </Text>
      <GraceField
        replaced={replaced}
        value={draft.grace}
        onChange={(grace) => onDraft({ ...draft, grace })}
        error={form.errors.grace}
      />
      <ExpiryField
        label={rotate.expiry}
        value={draft.expiry}
        onChange={(expiry) => onDraft({ ...draft, expiry })}
        error={form.errors.expiry}
      />
      <ConfirmAndSubmit
        newKey={newKey}
        form={form}
        submitLabel={rotate.submit}
        stopsKey={draft.grace === '0'}
        onCancel={onCancel}
      />
    </NewKeyFrame>
  );
}
