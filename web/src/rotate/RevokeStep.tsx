import { Button, Group, Stack, Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useApiKeys } from '../keys/useApiKeys';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import classes from './rotate.module.css';
import { Usage } from './Usage';
import type { Rotation } from './useRotation';

interface Props {
  readonly old: ApiKey;
  readonly twin: ApiKey;
  readonly rotation: Rotation;
}

/** Without a box to tick: the person has already decided in the steps before. */
export function RevokeStep({ old, twin, rotation }: Props) {
  const { rotate } = useTexts();
  const { keys } = useApiKeys('active');
  const { revoking } = rotation;
  const back = useFocusOnMount<HTMLButtonElement>();
  const isSeen = (keys.find(({ id }) => id === twin.id) ?? twin).lastUsedAt !== null;
  return (
    <Stack gap="md">
      <Text size="sm">{rotate.revokeText(old.name)}</Text>
      <dl className={classes.usages}>
        <Usage label={rotate.oldKey} apiKey={keys.find(({ id }) => id === old.id) ?? old} />
      </dl>
      {!isSeen && (
        <Notice tone="warning" isNews={false}>
          {rotate.unseen}
        </Notice>
      )}
      {revoking.isError && <FailureAlert error={revoking.error} />}
      <Group justify="flex-end">
        <Button ref={back} variant="default" onClick={() => rotation.setStep(2)} disabled={revoking.isPending}>
          {rotate.back}
        </Button>
        <Button color="red" onClick={() => revoking.mutate(old)} loading={revoking.isPending}>
          {rotate.submit}
        </Button>
      </Group>
    </Stack>
  );
}
