import { Button, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { SignInForm } from './SignInForm';

/** Opens above everything else when a request finds the session ended; the request is repeated afterwards. */
export function SignInAgainDialog({ onGivenUp }: { readonly onGivenUp: (() => void) | undefined }) {
  const texts = useTexts();
  const { client, gate, email, confirmation, ...panel } = usePanel();
  const trip = confirmation === 'password' ? undefined : panel.trip;
  const isAsking = useSyncExternalStore(gate.subscribe, gate.isAsking);
  const giveUp = () => {
    gate.settle(false);
    onGivenUp?.();
  };
  return (
    <Dialog opened={isAsking} onClose={giveUp} title={texts.session.again.title} size="sm" isOnTop>
      <Text size="sm" mb="md">
        {trip ? texts.session.platform.again : texts.session.again.text}
      </Text>
      {trip ? (
        <Button onClick={trip.leave} fullWidth data-autofocus>
          {texts.session.platform.submit}
        </Button>
      ) : (
        <SignInForm client={client} email={email} onSignedIn={() => gate.settle(true)} />
      )}
    </Dialog>
  );
}
