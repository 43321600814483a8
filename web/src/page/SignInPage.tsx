import { Divider, Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { PlatformSignIn } from '../session/PlatformSignIn';
import { SignInForm } from '../session/SignInForm';
import { HelpLink } from '../ui/HelpLink';
import { hasNotice } from './landing';
import { helpUrl } from './links';
import classes from './page.module.css';
import { hasSignedOut, otherAccount, platformSignIn, takesPasswords } from './sign-in-ways';
import { usePageTexts } from '../texts';

interface Props {
  readonly client: ApiClient;
  readonly onSignedIn: () => void;
}

export function SignInPage({ client, onSignedIn }: Props) {
  const texts = usePageTexts();
  const isElsewhere = !takesPasswords && platformSignIn === undefined;
  if (isElsewhere) {
    return (
      <div className={classes.signIn}>
        <Title order={2} size="h3" mb="xs">
          {texts.elsewhere.title}
        </Title>
        <Text c="dimmed" mb="lg">
          {texts.elsewhere.text}
        </Text>
        <HelpLink url={helpUrl} />
      </div>
    );
  }
  return (
    <div className={classes.signIn}>
      <Title order={2} size="h3">
        {texts.title}
      </Title>
      <Text c="dimmed" mb="lg">
        {texts.text}
      </Text>
      {platformSignIn !== undefined && <PlatformSignIn url={(hasSignedOut() && otherAccount) || platformSignIn} />}
      {platformSignIn !== undefined && takesPasswords && <Divider label={texts.or} my="lg" />}
      {takesPasswords && (
        <SignInForm client={client} takesFocus={platformSignIn === undefined} onSignedIn={onSignedIn} />
      )}
      {helpUrl !== undefined && !hasNotice && (
        <div className={classes.help}>
          <HelpLink url={helpUrl} />
        </div>
      )}
    </div>
  );
}
