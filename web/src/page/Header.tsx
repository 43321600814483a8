import { Button, Text } from '@mantine/core';
import type { Session } from '../api/types';
import { KeyIcon } from '../ui/icons';
import { ColorSchemeToggle } from './ColorSchemeToggle';
import classes from './page.module.css';
import { usePageTexts } from '../texts';

interface Props {
  readonly session: Session | undefined;
  readonly onSignOut: () => void;
}

export function Header({ session, onSignOut }: Props) {
  const texts = usePageTexts();
  return (
    <header className={classes.header}>
      <div className={classes.bar}>
        <h1 className={classes.brand}>
          <span className={classes.mark}>
            <KeyIcon />
          </span>
          <span className={classes.product}>{texts.product}</span>
        </h1>
        {session && (
          <Text size="sm" className={classes.person} title={session.email}>
            {session.displayName || session.email}
          </Text>
        )}
        {session && (
          <Button variant="default" size="xs" onClick={onSignOut}>
            {texts.signOut}
          </Button>
        )}
        {/* At the edge, so that it stays in place when the session is known. */}
        <ColorSchemeToggle />
      </div>
    </header>
  );
}
