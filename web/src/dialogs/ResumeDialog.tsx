import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { hasCode } from '../api/problem';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import type { ActionDialogProps } from '../key/actions';
import { KeyFacts } from '../key/KeyFacts';
import { refreshKeys, showCurrent } from '../key/list';
import { ConfirmedForm } from '../new-key/ConfirmedForm';
import { useConfirmedForm } from '../new-key/useConfirmedForm';
import { SomebodyElse, useFreshSignIn } from '../new-key/useFreshSignIn';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { resumeTexts } from '../key/resume-texts';

/** Ends a pause early. It is confirmed like a creation, because a paused key may be one that somebody stole. */
export function ResumeDialog({ apiKey, opened, onClose, onClosed }: ActionDialogProps) {
  const words = resumeTexts(useTexts().language);
  return (
    words && (
      <Dialog opened={opened} onClose={onClose} onClosed={onClosed} title={words.title(apiKey.name)}>
        <ResumeForm apiKey={apiKey} words={words} onClose={onClose} />
      </Dialog>
    )
  );
}

interface FormProps {
  readonly apiKey: ApiKey;
  readonly words: NonNullable<ReturnType<typeof resumeTexts>>;
  readonly onClose: () => void;
}

function ResumeForm({ apiKey, words, onClose }: FormProps) {
  const texts = useTexts();
  const { client, announce, startAgain } = usePanel();
  const queryClient = useQueryClient();
  const over = (message: string) => {
    announce(message);
    onClose();
  };
  const form = useConfirmedForm({ form: 'resume', replaced: apiKey }, {}, async (proof) => {
    try {
      const resumed = await confirmed((token) => client.resumeKey(apiKey.id, proof, token));
      showCurrent(queryClient, [resumed]);
      over(resumed.pausedUntil ? words.still(apiKey.name) : words.done(apiKey.name));
    } catch (error) {
      if (!(error instanceof SomebodyElse) && !hasCode(error, 'another_person')) throw error;
      startAgain();
      over(texts.create.somebodyElse);
    } finally {
      void refreshKeys(queryClient);
    }
  });
  const { confirmed, giveUp } = useFreshSignIn((isWaiting) => form.onPhase(isWaiting ? 'confirming' : 'sending'));

  return (
    <ConfirmedForm
      form={form}
      submitLabel={words.submit}
      onCancel={form.making.phase === 'confirming' ? giveUp : onClose}
    >
      <Text size="sm">{words.consequence}</Text>
      <KeyFacts apiKey={apiKey} isWarning={false} />
    </ConfirmedForm>
  );
}
