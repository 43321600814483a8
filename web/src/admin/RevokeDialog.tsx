import { Stack, Text, TextInput } from '@mantine/core';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { KeyFacts } from '../key/KeyFacts';
import { useAdminTexts, useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { nameOf } from './texts';
import type { FoundKey } from './types';
import { useRevokeForm } from './useRevokeForm';

interface FormProps {
  readonly apiKey: FoundKey;
  /** What was typed before the administrator left to sign in. */
  readonly note: string;
  /** Called with a message when the key has ended, now or earlier. */
  readonly onOver: (message: string) => void;
  readonly onClose: () => void;
}

interface Props extends FormProps {
  readonly opened: boolean;
  readonly onClosed: () => void;
}

/** Above the drawer, which then shows the end. */
export function RevokeDialog({ opened, onClosed, ...form }: Props) {
  const { revoke } = useTexts();
  return (
    <Dialog opened={opened} onClose={form.onClose} onClosed={onClosed} isOnTop title={revoke.title(form.apiKey.name)}>
      <RevokeForm {...form} />
    </Dialog>
  );
}

function RevokeForm({ apiKey, note, onOver, onClose }: FormProps) {
  const { revoke } = useTexts();
  const admin = useAdminTexts();
  const form = useRevokeForm({ apiKey, note, onOver });
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={form.isBusy}>
      <Stack gap="md">
        <Text size="sm">
          {admin.belongsTo(nameOf(apiKey.owner))} {revoke.consequence}
        </Text>
        <KeyFacts apiKey={apiKey} />
        <TextInput
          name="note"
          label={admin.note}
          description={admin.noteHint}
          value={form.note}
          onChange={(event) => form.setNote(event.currentTarget.value)}
          error={form.errors.note}
          autoComplete="off"
          data-autofocus
        />
        <ConfirmAndSubmit newKey={form} form={form} submitLabel={revoke.submit} isDangerous onCancel={onClose} />
      </Stack>
    </form>
  );
}
