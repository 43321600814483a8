import { Button, Text } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { SignInForm } from './SignInForm';

interface Props {
  readonly opened: boolean;
  readonly onGivenUp: (() => void) | undefined;
}

/** Opens above everything else when a request finds the session ended; the request is repeated afterwards. */
export function SignInAgainDialog({ opened, onGivenUp }: Props) {
  const texts = useTexts();
  const { client, gate, owner, ...panel } = usePanel();
  const trip = owner?.confirmation === 'fresh-sign-in' ? panel.trip : undefined;
  const giveUp = () => {
    gate.settle(false);
    onGivenUp?.();
  };
  return (
    <Dialog opened={opened} onClose={giveUp} title={texts.session.again.title} size="sm" isOnTop>
      <Text size="sm" mb="md">
        {texts.session.again.text}
      </Text>
      {trip ? (
        <Button onClick={trip.leave} fullWidth data-autofocus>
          {texts.session.platform.submit}
        </Button>
      ) : (
        <SignInForm client={client} email={owner?.email} onSignedIn={() => gate.settle(true)} />
      )}
    </Dialog>
  );
}
