import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useApiKeys } from '../keys/useApiKeys';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { CheckIcon } from '../ui/icons';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import classes from './rotate.module.css';
import { Usage } from './Usage';
import type { Rotation } from './useRotation';

const POLL_MS = 3000;

interface Props {
  readonly old: ApiKey;
  readonly twin: ApiKey;
  readonly rotation: Rotation;
}

/** Reads the list again every few seconds, to show when the new key is used. */
export function VerifyStep({ old, twin, rotation }: Props) {
  const { rotate } = useTexts();
  const list = useApiKeys('active', { pollMs: POLL_MS });
  const freshest = (key: ApiKey) => list.keys.find(({ id }) => id === key.id) ?? key;
  const isSeen = freshest(twin).lastUsedAt !== null;
  const next = useFocusOnMount<HTMLButtonElement>();
  return (
    <Stack gap="md">
      <Text size="sm">{rotate.verifyText}</Text>
      <dl className={classes.usages}>
        <Usage label={rotate.newKey} apiKey={freshest(twin)} />
        <Usage label={rotate.oldKey} apiKey={freshest(old)} />
      </dl>
      <div role="status" className={classes.waiting} data-seen={isSeen || undefined}>
        {isSeen ? <CheckIcon /> : <Loader size={16} aria-hidden />}
        {isSeen ? rotate.seen : rotate.waiting}
      </div>
      {list.isError && <FailureAlert error={list.error} />}
      <Text size="sm" c="dimmed">
        {rotate.laterHint}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={rotation.close}>
          {rotate.later}
        </Button>
        <Button ref={next} variant={isSeen ? 'filled' : 'default'} onClick={() => rotation.setStep(3)}>
          {isSeen ? rotate.toRevoke : rotate.toRevokeUnseen}
        </Button>
      </Group>
    </Stack>
  );
}
