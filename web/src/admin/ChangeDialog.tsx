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
import { resumeTexts } from '../key/resume-texts';
import { NoteField, useRevokeForm } from './useRevokeForm';
import { type EndOfKey, NotAdministrator, useChangeKeys } from './useAllKeys';

interface FormProps {
  readonly apiKey: FoundKey;
  /** Whether the key is resumed. Otherwise it ends. */
  readonly resumes: boolean;
  /** What was typed before the administrator left to sign in. */
  readonly note: string;
  /** Called with a message when it is done, or when the key has ended earlier. */
  readonly onOver: (message: string) => void;
  readonly onClose: () => void;
}

interface Props extends FormProps {
  readonly opened: boolean;
  readonly onClosed: () => void;
}

/** Ends a key or resumes it, above the drawer, which then shows the result. */
export function ChangeDialog({ opened, onClosed, ...form }: Props) {
  const { title } = useWords(form.resumes);
  return (
    <Dialog opened={opened} onClose={form.onClose} onClosed={onClosed} isOnTop title={title(form.apiKey.name)}>
      <ChangeForm {...form} />
    </Dialog>
  );
}

function useWords(resumes: boolean) {
  const { revoke, language } = useTexts();
  return (resumes && resumeTexts(language)) || revoke;
}

function ChangeForm({ apiKey, resumes, note, onOver, onClose }: FormProps) {
  const texts = useTexts();
  const words = useWords(resumes);
  const admin = useAdminTexts();
  const { end, resume, showAgain } = useChangeKeys();
  const { id, name } = apiKey;
  /** Somebody else has ended the key, or an answer was lost. */
  const overBefore = async (message: string) => {
    await showAgain(id);
    onOver(message);
  };
  const change = async (body: EndOfKey, onRetry: () => void) => {
    try {
      const { pausedUntil } = await withRetries(() => (resumes ? resume : end)(id, body), onRetry);
      onOver(resumes && pausedUntil ? admin.stillPaused(name) : words.done(name));
    } catch (error) {
      // Also after a lost answer.
      if (hasCode(error, 'api_key_not_active')) return overBefore(admin.already(name));
      if (hasCode(error, 'not_found') || error instanceof NotAdministrator) return overBefore(texts.details.unknown);
      throw error;
    }
  };
  const form = useRevokeForm([], note, change, resumes);

  return (
    <ConfirmedForm form={form} submitLabel={words.submit} isDangerous={!resumes} onCancel={onClose}>
      <Text size="sm">
        {admin.belongsTo(nameOf(apiKey.owner))} {words.consequence}
      </Text>
      <KeyFacts apiKey={apiKey} isWarning={!resumes} />
      {!resumes && <NoteField form={form} />}
    </ConfirmedForm>
  );
}
