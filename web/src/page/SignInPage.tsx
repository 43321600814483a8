import { Divider, Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { PlatformSignIn } from '../session/PlatformSignIn';
import { SignInForm } from '../session/SignInForm';
import { texts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { helpUrl } from './links';
import classes from './page.module.css';
import { platformSignIn, takesPasswords } from './sign-in-ways';

interface Props {
  readonly client: ApiClient;
  readonly onSignedIn: () => void;
}

export function SignInPage({ client, onSignedIn }: Props) {
  const { platform } = texts.session;
  const isElsewhere = !takesPasswords && platformSignIn === undefined;
  if (isElsewhere) {
    return (
      <div className={classes.signIn}>
        <Title order={2} size="h3" mb="xs">
          {platform.elsewhere.title}
        </Title>
        <Text c="dimmed" mb="lg">
          {platform.elsewhere.text}
        </Text>
        <HelpLink url={helpUrl} />
      </div>
    );
  }
  return (
    <div className={classes.signIn}>
      <Title order={2} size="h3">
        {texts.session.title}
      </Title>
      <Text c="dimmed" mb="lg">
        {texts.session.text}
      </Text>
      {platformSignIn !== undefined && <PlatformSignIn url={platformSignIn} />}
      {platformSignIn !== undefined && takesPasswords && <Divider label={platform.or} my="lg" />}
      {takesPasswords && (
        <SignInForm client={client} takesFocus={platformSignIn === undefined} onSignedIn={onSignedIn} />
      )}
      {helpUrl !== undefined && (
        <div className={classes.help}>
          <HelpLink url={helpUrl} />
        </div>
      )}
    </div>
  );
}
