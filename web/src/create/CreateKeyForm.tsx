import { Text, TextInput } from '@mantine/core';
import { useCallback, type Dispatch, type SetStateAction } from 'react';
import { nameOf } from '../base/owner';
import type { KeyPolicy } from '../api/types';
import { usePanel } from '../base/context';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { ExpiryField } from '../new-key/ExpiryField';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useNewKeyForm';
import { PermissionsField } from '../restrictions/PermissionsField';
import { useTexts } from '../texts';
import { AccessField } from './AccessField';
import type { ChosenPermissions, KeyDraft } from '../base/trip';
import { checkDraft, requestOf } from './form';
import { NameField } from './NameField';
import { NetworksField } from './NetworksField';

interface Props {
  /** Within the policy. */
  readonly draft: KeyDraft;
  readonly policy: KeyPolicy;
  readonly onDraft: Dispatch<SetStateAction<KeyDraft>>;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
}

export function CreateKeyForm({ draft, policy, onDraft, newKey, onCancel }: Props) {
  const texts = useTexts();
  const { account, client } = usePanel();
  const form = useNewKeyForm({
    newKey,
    typed: { form: 'create', draft },
    problems: checkDraft(draft, policy, texts),
    orderOf: (proof) => ({
      name: draft.name,
      send: (key, token) => client.createKey(requestOf(draft, proof), key, token),
    }),
  });
  const { errors } = form;
  const change = (part: Partial<KeyDraft>) => onDraft((latest) => ({ ...latest, ...part }));
  const choose = useCallback(
    (part: Partial<ChosenPermissions>) =>
      onDraft((latest) => ({ ...latest, permissions: { ...latest.permissions, ...part } })),
    [onDraft],
  );
  const { create } = texts;
  return (
    <NewKeyFrame newKey={newKey} form={form} lostWords={create.lost} onKeep={onCancel}>
      {account && <Text size="sm">{texts.accounts.belongs(nameOf(account))}</Text>}
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
      <AccessField
        value={draft.access}
        policy={policy}
        onChange={(access) => change({ access })}
        error={errors.access}
      />
      <PermissionsField access={draft.access} {...draft.permissions} onChange={choose} error={errors.permissions} />
      <ExpiryField
        label={create.expiry}
        value={draft.expiry}
        onChange={(expiry) => change({ expiry })}
        error={errors.expiry}
      />
      <NetworksField value={draft.networks} onChange={(networks) => change({ networks })} error={errors.networks} />
      <ConfirmAndSubmit newKey={newKey} form={form} submitLabel={create.submit} onCancel={onCancel} />
    </NewKeyFrame>
  );
}
