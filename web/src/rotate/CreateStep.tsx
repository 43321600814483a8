import { Button, Group, Stack, Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { CreateKeyForm } from '../create/CreateKeyForm';
import { useApiKeys } from '../keys/useApiKeys';
import { RevealDialogBody } from '../reveal/RevealDialogBody';
import { useTexts } from '../texts';
import { Notice } from '../ui/Notice';
import type { Rotation } from './useRotation';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation;
}

export function CreateStep({ apiKey, rotation }: Props) {
  const texts = useTexts();
  const { rotate } = texts;
  const { activeKeys = 0, maxActiveKeys = Infinity } = useApiKeys('active');
  const { secret, creating } = rotation;
  if (secret.created) {
    return (
      <RevealDialogBody
        created={secret.created}
        secret={secret}
        onDone={rotation.goOn}
        doneLabel={rotate.next}
        onLeave={rotation.finish}
      />
    );
  }
  if (activeKeys >= maxActiveKeys && creating.creation.phase === 'idle') {
    return (
      <Stack gap="md">
        <Notice tone="warning" isNews={false}>
          {rotate.full(maxActiveKeys)}
        </Notice>
        <Group justify="flex-end">
          <Button variant="default" onClick={rotation.close} data-autofocus>
            {texts.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md" key={apiKey.id}>
      <Text size="sm">{rotate.createText}</Text>
      <CreateKeyForm
        draft={rotation.draft}
        onDraft={rotation.setDraft}
        creating={creating}
        onCancel={rotation.close}
        replaced={apiKey}
      />
    </Stack>
  );
}
