import { Button, Group, Text } from '@mantine/core';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import { useTexts } from '../texts';

interface Props {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Replaces the key within the same dialog, so that Escape leads back and no dialog covers another. */
export function EarlyClose({ onStay, onLeave }: Props) {
  const { early } = useTexts().reveal;
  const stay = useFocusOnMount<HTMLButtonElement>();
  return (
    <>
      <Text size="sm" role="alert">
        {early.text}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLeave}>
          {early.leave}
        </Button>
        <Button ref={stay} onClick={onStay}>
          {early.stay}
        </Button>
      </Group>
    </>
  );
}
