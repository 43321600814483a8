import { Box, Button, Divider, Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { SignInForm } from '../session/SignInForm';
import { HelpLink } from '../ui/HelpLink';
import { KeyIcon } from '../ui/icons';
import list from '../ui/list.module.css';
import { hasNotice, hasSignedOut, helpUrl, otherAccount, platformSignIn, takesPasswords } from './written';
import classes from './page.module.css';
import { usePageTexts, useTexts } from '../texts';

interface Props {
  readonly client: ApiClient;
  readonly onSignedIn: () => void;
}

export function SignInPage({ client, onSignedIn }: Props) {
  const texts = usePageTexts();
  const isElsewhere = !takesPasswords && platformSignIn === undefined;
  if (isElsewhere) {
    return (
      <div className={`${list.frame} ${classes.signIn}`}>
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
    <div className={`${list.frame} ${classes.signIn}`}>
      <span className={classes.mark}>
        <KeyIcon />
      </span>
      <Title order={2} size="h3" mt="md">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed" mb="lg">
        {texts.text}
      </Text>
      {platformSignIn !== undefined && <PlatformSignIn url={(hasSignedOut() && otherAccount) || platformSignIn} />}
      {platformSignIn !== undefined && takesPasswords && <Divider label={texts.or} my="lg" />}
      {takesPasswords && (
        <SignInForm client={client} takesFocus={platformSignIn === undefined} onSignedIn={onSignedIn} />
      )}
      {helpUrl !== undefined && !hasNotice && (
        <Box mt="lg" ta="center">
          <HelpLink url={helpUrl} />
        </Box>
      )}
    </div>
  );
}

/** A link, because the platform's login is another page. */
function PlatformSignIn({ url }: { readonly url: string }) {
  const texts = useTexts();
  return (
    <Button component="a" href={url} fullWidth>
      {texts.session.platform.submit}
    </Button>
  );
}
