import { Divider, Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { PlatformSignIn } from '../session/PlatformSignIn';
import { SignInForm } from '../session/SignInForm';
import { HelpLink } from '../ui/HelpLink';
import { helpUrl } from './links';
import classes from './page.module.css';
import { platformSignIn, takesPasswords } from './sign-in-ways';
import { words } from './words';

interface Props {
  readonly client: ApiClient;
  readonly onSignedIn: () => void;
}

export function SignInPage({ client, onSignedIn }: Props) {
  const isElsewhere = !takesPasswords && platformSignIn === undefined;
  if (isElsewhere) {
    return (
      <div className={classes.signIn}>
        <Title order={2} size="h3" mb="xs">
          {words.elsewhere.title}
        </Title>
        <Text c="dimmed" mb="lg">
          {words.elsewhere.text}
        </Text>
        <HelpLink url={helpUrl} />
      </div>
    );
  }
  return (
    <div className={classes.signIn}>
      <Title order={2} size="h3">
        {words.title}
      </Title>
      <Text c="dimmed" mb="lg">
        {words.text}
      </Text>
      {platformSignIn !== undefined && <PlatformSignIn url={platformSignIn} />}
      {platformSignIn !== undefined && takesPasswords && <Divider label={words.or} my="lg" />}
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
