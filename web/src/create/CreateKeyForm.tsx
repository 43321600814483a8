import { TextInput } from '@mantine/core';
import { usePanel } from '../panel/context';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { ExpiryField } from '../new-key/ExpiryField';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useNewKeyForm';
import { useTexts } from '../texts';
import { AccessField } from './AccessField';
import { checkDraft, requestOf, type KeyDraft } from './form';
import { NameField } from './NameField';

interface Props {
  readonly draft: KeyDraft;
  readonly onDraft: (draft: KeyDraft) => void;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
}

export function CreateKeyForm({ draft, onDraft, newKey, onCancel }: Props) {
  const texts = useTexts();
  const { client } = usePanel();
  const form = useNewKeyForm({
    newKey,
    typed: { form: 'create', draft },
    problems: checkDraft(draft, texts),
    orderOf: (proof) => ({
      name: draft.name,
      send: (key, token) => client.createKey(requestOf(draft, proof), key, token),
    }),
  });
  const { errors } = form;
  const change = (part: Partial<KeyDraft>) => onDraft({ ...draft, ...part });
  const { create } = texts;
  return (
    <NewKeyFrame newKey={newKey} form={form} lostWords={create.lost} onKeep={onCancel}>
      <NameField value={draft.name} onChange={(name) => change({ name })} error={errors.name} />
      <TextInput
        name="note"
        label={create.note}
        description={create.noteHint}
        value={draft.note}
        onChange={(event) => change({ note: event.currentTarget.value })}
        error={errors.note}
        autoComplete="off"
      />
      <AccessField value={draft.access} onChange={(access) => change({ access })} error={errors.access} />
      <ExpiryField
        label={create.expiry}
        value={draft.expiry}
        onChange={(expiry) => change({ expiry })}
        error={errors.expiry}
      />
      <ConfirmAndSubmit newKey={newKey} form={form} submitLabel={create.submit} onCancel={onCancel} />
    </NewKeyFrame>
  );
}
