import { Button, Group } from '@mantine/core';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';

/**
 * The person has to sign in again before the key is made, by leaving for the platform's login and coming back. In
 * another frontend they have just signed in, and it was not enough.
 */
export function StepUp() {
  const texts = useTexts();
  const { trip, helpUrl } = usePanel();
  const words = texts.create.confirmation;
  if (!trip) {
    return (
      <Notice tone="warning">
        {texts.create.notFresh} <HelpLink url={helpUrl} />
      </Notice>
    );
  }
  return (
    <Notice tone="warning" title={words.title}>
      {trip.returned ? words.again : words.text}
      <Group mt="sm">
        <Button size="xs" onClick={trip.leave}>
          {words.submit}
        </Button>
        <HelpLink url={helpUrl} />
      </Group>
    </Notice>
  );
}
