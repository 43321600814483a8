import { Text, Title } from '@mantine/core';
import type { ApiClient } from '../api/client';
import { SignInForm } from '../session/SignInForm';
import { texts } from '../texts';
import classes from './page.module.css';

interface Props {
  readonly client: ApiClient;
  readonly onSignedIn: () => void;
}

export function SignInPage({ client, onSignedIn }: Props) {
  return (
    <div className={classes.signIn}>
      <Title order={2} size="h3">
        {texts.session.title}
      </Title>
      <Text c="dimmed" mb="lg">
        {texts.session.text}
      </Text>
      <SignInForm client={client} onSignedIn={onSignedIn} />
    </div>
  );
}
