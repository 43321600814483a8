import { useState } from 'react';
import { ApiClient } from '../api/client';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { ApiKeysPanel } from '../panel/ApiKeysPanel';
import { FailureAlert } from '../ui/FailureAlert';
import { Header } from './Header';
import classes from './page.module.css';
import { SignInPage } from './SignInPage';
import { exampleUrl } from './example-url';
import { useSession } from './useSession';

/** The page around the panel: shows who is signed in, with sign-in and sign-out. */
export function App() {
  const [client] = useState(() => new ApiClient({ apiBaseUrl: '' }));
  const { state, load, signOut, leave } = useSession(client);
  const session = state.phase === 'signed-in' ? state.session : undefined;
  return (
    <>
      <Header session={session} onSignOut={signOut} />
      <main className={classes.main}>
        {state.phase === 'loading' && <KeyListSkeleton />}
        {state.phase === 'failed' && <FailureAlert error={state.error} onRetry={load} />}
        {state.phase === 'signed-out' && <SignInPage client={client} onSignedIn={load} />}
        {session && (
          <ApiKeysPanel
            key={session.ownerId}
            apiBaseUrl=""
            email={session.email}
            onSignedOut={leave}
            {...(exampleUrl !== undefined && { exampleUrl })}
          />
        )}
      </main>
    </>
  );
}
