import { Stack, Text, TextInput } from '@mantine/core';
import { type Dispatch, type SetStateAction, useCallback } from 'react';
import { nameOf } from '../base/owner';
import type { AccessLevel, KeyPolicy } from '../api/types';
import { usePanel } from '../base/context';
import { ExpiryField } from '../new-key/ExpiryField';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useNewKeyForm';
import { PermissionsField } from '../restrictions/PermissionsField';
import { useTexts } from '../texts';
import type { ChosenPermissions, KeyDraft } from '../base/trip';
import { checkDraft, requestOf } from './form';
import { NameField } from './NameField';
import { NetworksField } from './NetworksField';
import { Terms } from './Terms';
import { lowerAccess } from '../../../src/domain/accounts/access-level';
import { limitText } from '../key/limits';
import { ChoiceCards } from '../ui/ChoiceCards';

const LEVELS: readonly AccessLevel[] = ['read-only', 'read-and-write'];

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
      send: (key, token) => client.createKey(requestOf(draft, policy, proof), key, token),
    }),
  });
  const { errors } = form;
  const change = (part: Partial<KeyDraft>) => onDraft((latest) => ({ ...latest, ...part }));
  const choose = useCallback(
    (part: Partial<ChosenPermissions>) =>
      onDraft((latest) => ({ ...latest, permissions: { ...latest.permissions, ...part } })),
    [onDraft],
  );
  const { create, keys } = texts;
  // A level above the ceiling is shown with the reason why it can't be chosen.
  const levels = LEVELS.map((level) => {
    const isDisabled = lowerAccess(level, policy.maxAccess) !== level;
    const text = isDisabled ? limitText(policy, 'maxAccess', texts) : create.accessText[level];
    return { value: level, label: keys.access[level], text, isDisabled };
  });
  return (
    <NewKeyFrame form={form} lostWords={create.lost} submitLabel={create.submit} onCancel={onCancel}>
      {account && <Text size="sm">{texts.accounts.belongs(nameOf(account))}</Text>}
      <NameField value={draft.name} onChange={(name) => change({ name })} error={errors.name} />
      <Terms
        draft={draft}
        maxKeyDays={policy.maxKeyDays}
        errors={errors}
        fields={{
          rights: (
            <Stack gap="lg">
              <ChoiceCards
                name="access"
                label={create.access}
                choices={levels}
                value={draft.access}
                onChange={(access) => change({ access })}
                note={create.never}
                error={errors.access}
              />
              <PermissionsField
                access={draft.access}
                {...draft.permissions}
                onChange={choose}
                error={errors.permissions}
              />
            </Stack>
          ),
          expiry: (
            <ExpiryField
              label={create.expiry}
              value={draft.expiry}
              onChange={(expiry) => change({ expiry })}
              error={errors.expiry}
            />
          ),
          networks: (
            <NetworksField
              value={draft.networks}
              onChange={(networks) => change({ networks })}
              error={errors.networks}
            />
          ),
          note: (
            <TextInput
              name="note"
              label={create.note}
              description={create.noteHint}
              value={draft.note}
              onChange={(event) => change({ note: event.currentTarget.value })}
              error={errors.note}
              autoComplete="off"
            />
          ),
        }}
      />
    </NewKeyFrame>
  );
}
