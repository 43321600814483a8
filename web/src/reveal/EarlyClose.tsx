import { Button, Group, Text } from '@mantine/core';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import { texts } from '../texts';

interface Props {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** In the place of the key, in the same dialog: Escape leads back, and nothing is stacked. */
export function EarlyClose({ onStay, onLeave }: Props) {
  const { early } = texts.reveal;
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
