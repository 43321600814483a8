import { Button, Group } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';

/** The result of the sign-in that the person comes back from. */
export function SignInResult({ submitLabel }: { readonly submitLabel: string }) {
  const texts = useTexts();
  const { trip, helpUrl } = usePanel();
  if (!trip?.confirmation) return null;
  const { stepUp } = texts.session;
  if (trip.confirmation === 'confirmed') return <Notice tone="success">{stepUp.confirmed(submitLabel)}</Notice>;
  return (
    <Notice tone="warning">
      {stepUp[trip.confirmation]}
      <Group mt="sm">
        <Button size="xs" onClick={trip.leave}>
          {texts.create.confirmation.submit}
        </Button>
        <HelpLink url={helpUrl} />
      </Group>
    </Notice>
  );
}

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
