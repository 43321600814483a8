import { Text } from '@mantine/core';
import { ConfirmedForm } from '../new-key/ConfirmedForm';
import { KeyFacts } from '../key/KeyFacts';
import { nameOf } from '../base/context';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { useAdminTexts } from './texts';
import type { FoundKey } from './types';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import { NoteField, useRevokeForm } from './useRevokeForm';
import { NotAdministrator, useEndKey } from './useAllKeys';

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
  const texts = useTexts();
  const { revoke } = texts;
  const admin = useAdminTexts();
  const { end, showAgain } = useEndKey();
  const { id, name } = apiKey;
  /** Somebody else has ended the key, or an answer was lost. */
  const overBefore = async (message: string) => {
    await showAgain(id);
    onOver(message);
  };
  const form = useRevokeForm([], note, async (body, onRetry) => {
    try {
      await withRetries(() => end(id, body), onRetry);
      onOver(revoke.done(name));
    } catch (error) {
      // Also after a lost answer.
      if (hasCode(error, 'api_key_not_active')) return overBefore(admin.already(name));
      if (hasCode(error, 'not_found') || error instanceof NotAdministrator) return overBefore(texts.details.unknown);
      throw error;
    }
  });

  return (
    <ConfirmedForm form={form} submitLabel={revoke.submit} isDangerous onCancel={onClose}>
      <Text size="sm">
        {admin.belongsTo(nameOf(apiKey.owner))} {revoke.consequence}
      </Text>
      <KeyFacts apiKey={apiKey} />
      <NoteField form={form} />
    </ConfirmedForm>
  );
}
