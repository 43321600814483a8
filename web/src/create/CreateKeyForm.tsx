import { Stack, Text, TextInput } from '@mantine/core';
import { type Dispatch, type SetStateAction, useCallback } from 'react';
import { nameOf, usePanel } from '../base/context';
import type { AccessLevel, KeyPolicy } from '../api/types';
import { ExpiryField } from '../new-key/ExpiryField';
import { oneLine } from '../new-key/fields';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useConfirmedForm';
import { PermissionsField } from '../restrictions/PermissionsField';
import { useTexts } from '../texts';
import type { ChosenPermissions, KeyDraft } from '../base/trip';
import { checkDraft, requestOf } from './form';
import { NetworksField } from './NetworksField';
import { Terms } from './Terms';
import { lowerAccess } from '../../../src/domain/accounts/access-level';
import { limitText } from '../key/limits';
import { useApiKeys } from '../key/list';
import { statusAt } from '../key/status';
import { laterTexts } from '../texts/later';
import { useNow } from '../time/useNow';
import { ChoiceCards } from '../ui/ChoiceCards';

const LEVELS: readonly AccessLevel[] = ['read-only', 'read-and-write'];

const fromLink = laterTexts(
  'A link filled in this form. Check it before you create the key.',
  'Ein Link hat dieses Formular ausgefüllt. Prüfen Sie es, bevor Sie den Schlüssel erstellen.',
);

/** For people, names that differ only in capitals are the same. */
const comparable = (name: string): string => name.normalize('NFC').trim().toLocaleLowerCase();

interface Props {
  /** Within the policy. */
  readonly draft: KeyDraft;
  readonly policy: KeyPolicy;
  readonly isFromLink: boolean;
  readonly onDraft: Dispatch<SetStateAction<KeyDraft>>;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
}

export function CreateKeyForm({ draft, policy, isFromLink, onDraft, newKey, onCancel }: Props) {
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
  // Names need not be unique, but the form warns of a second key with the same one.
  const name = comparable(draft.name);
  const now = useNow();
  const taken = useApiKeys().keys.find((key) => comparable(key.name) === name && statusAt(key, now) === 'active');
  // A level above the ceiling is shown with the reason why it can't be chosen.
  const levels = LEVELS.map((level) => ({
    value: level,
    label: keys.access[level],
    isDisabled: lowerAccess(level, policy.maxAccess) !== level,
  }));
  return (
    <NewKeyFrame form={form} lostWords={create.lost} submitLabel={create.submit} onCancel={onCancel}>
      {isFromLink && (
        <Text size="sm" c="dimmed">
          {fromLink(texts.language)}
        </Text>
      )}
      {account && <Text size="sm">{texts.accounts.belongs(nameOf(account))}</Text>}
      <div>
        <TextInput
          name="name"
          label={create.name}
          description={create.nameHint}
          value={draft.name}
          onChange={(event) => change({ name: oneLine(event.currentTarget.value) })}
          error={errors.name}
          autoComplete="off"
          data-autofocus
        />
        <Text role="status" size="xs" mt={taken ? 5 : 0} c="var(--latchkey-warning)">
          {taken && create.nameTaken(taken.name, taken.prefix)}
        </Text>
      </div>
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
                note={levels.some(({ isDisabled }) => isDisabled) && limitText(policy, 'maxAccess', texts)}
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
              onChange={(event) => change({ note: oneLine(event.currentTarget.value) })}
              error={errors.note}
              autoComplete="off"
            />
          ),
        }}
      />
    </NewKeyFrame>
  );
}
