import { ActionIcon, Button, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { Session } from '../api/types';
import { KeyIcon, MoonIcon, SunIcon } from '../ui/icons';
import surface from '../ui/surface.module.css';
import classes from './page.module.css';
import { usePageTexts } from '../texts';

interface Props {
  readonly session: Session | undefined;
  readonly onSignOut: () => void;
}

export function Header({ session, onSignOut }: Props) {
  const texts = usePageTexts();
  return (
    <header className={`${classes.header} ${surface.surface}`}>
      <div className={classes.bar}>
        <h1 className={classes.brand}>
          <span className={classes.mark}>
            <KeyIcon />
          </span>
          <span className={classes.product}>{texts.product}</span>
        </h1>
        {session && (
          <Text size="sm" truncate title={session.email}>
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

/** Follows the system's scheme until it is pressed. */
function ColorSchemeToggle() {
  const texts = usePageTexts();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size="lg"
      aria-label={isDark ? texts.scheme.toLight : texts.scheme.toDark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
