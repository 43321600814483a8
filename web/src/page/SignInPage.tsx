import { Box, Button, Divider, Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { SignInForm } from '../session/SignInForm';
import { HelpLink } from '../ui/links';
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
  const { session } = useTexts();
  const { title, text } = takesPasswords || platformSignIn !== undefined ? texts : texts.elsewhere;
  return (
    <Box maw="420px" mt="8vh" mx="auto" p="xl" className={list.frame}>
      <span className={classes.mark}>
        <KeyIcon />
      </span>
      <Title order={2} size="h3" mt="md">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="lg">
        {text}
      </Text>
      {platformSignIn !== undefined && (
        // A link, because the platform's login is another page.
        <Button component="a" href={(hasSignedOut() && otherAccount) || platformSignIn} fullWidth>
          {session.platform.submit}
        </Button>
      )}
      {platformSignIn !== undefined && takesPasswords && <Divider label={texts.or} my="lg" />}
      {takesPasswords && (
        <SignInForm client={client} takesFocus={platformSignIn === undefined} onSignedIn={onSignedIn} />
      )}
      {helpUrl !== undefined && !hasNotice && (
        <Box mt="lg" ta="center">
          <HelpLink url={helpUrl} />
        </Box>
      )}
    </Box>
  );
}
