import { Button, Group, Stack, Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useOwner } from '../panel/useOwner';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { PasswordField } from '../ui/PasswordField';
import { AccessField } from './AccessField';
import { ExpiryField } from './ExpiryField';
import type { KeyDraft } from './form';
import { LostAnswer } from './LostAnswer';
import { NameField } from './NameField';
import { Refusal } from './Refusal';
import type { useCreateKey } from './useCreateKey';
import { useKeyForm } from './useKeyForm';

interface Props {
  readonly draft: KeyDraft;
  readonly onDraft: (draft: KeyDraft) => void;
  readonly creating: ReturnType<typeof useCreateKey>;
  readonly onCancel: () => void;
  /** The key that the new one is to replace. */
  readonly replaced?: ApiKey;
}

export function CreateKeyForm({ draft, onDraft, creating, onCancel, replaced }: Props) {
  const texts = useTexts();
  const { create } = texts;
  const { creation, isBusy } = creating;
  const owner = useOwner();
  const form = useKeyForm(draft, creating);
  const change = (part: Partial<KeyDraft>) => onDraft({ ...draft, ...part });

  if (creation.phase === 'lost') {
    return <LostAnswer lost={creation} onCreateAgain={form.createAgain} onKeep={onCancel} />;
  }
  if (owner.isError && !owner.data) {
    return <FailureAlert error={owner.error} isRetrying={owner.isFetching} onRetry={() => void owner.refetch()} />;
  }
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={isBusy}>
      <Stack gap="lg">
        <NameField
          value={draft.name}
          onChange={(name) => change({ name })}
          error={form.errors.name}
          replaced={replaced}
        />
        <AccessField value={draft.access} onChange={(access) => change({ access })} error={form.errors.access} />
        <ExpiryField value={draft.days} onChange={(days) => change({ days })} error={form.errors.days} />
        {form.asksPassword ? (
          <PasswordField
            label={create.password}
            description={create.passwordHint}
            value={form.password}
            onChange={(event) => form.setPassword(event.currentTarget.value)}
            error={form.errors.password}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {create.confirmation.hint}
          </Text>
        )}
        <Refusal creation={creation} onRetry={form.submit} />
        <Group justify="flex-end">
          <Text size="sm" c="dimmed" role="status" flex={1}>
            {creation.phase === 'retrying' && create.retrying}
            {creation.phase === 'confirming' && create.confirming}
          </Text>
          <Button variant="default" onClick={onCancel} disabled={isBusy && creation.phase !== 'confirming'}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {create.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
