import { useState } from 'react';
import { ApiClient } from '../api/client';
import type { Session } from '../api/types';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { takeDraft } from '../new-key/kept-draft';
import { ApiKeysPanel } from '../panel/ApiKeysPanel';
import type { Platform } from '../session/platform-trip';
import { FailureAlert } from '../ui/FailureAlert';
import { Header } from './Header';
import classes from './page.module.css';
import { SignInPage } from './SignInPage';
import { docsUrl, exampleUrl, helpUrl } from './links';
import { hasSignedIn } from './landing';
import { LandingNotice } from './LandingNotice';
import { platformSignIn } from './sign-in-ways';
import { forgetPlace, usePlaceInAddress } from './usePlaceInAddress';
import { useSession } from './useSession';

const kept = takeDraft();

/** The page around the panel: shows who is signed in, with sign-in and sign-out. */
export function App() {
  const [client] = useState(() => new ApiClient({ apiBaseUrl: '' }));
  const { state, load, signOut, leave } = useSession(client);
  const [place, goTo] = usePlaceInAddress();
  const session = state.phase === 'signed-in' ? state.session : undefined;
  return (
    <>
      <Header session={session} onSignOut={() => void signOut().then(forgetPlace)} />
      <main className={classes.main}>
        <LandingNotice />
        {state.phase === 'loading' && <KeyListSkeleton />}
        {state.phase === 'failed' && <FailureAlert error={state.error} onRetry={load} />}
        {state.phase === 'signed-out' && <SignInPage client={client} onSignedIn={load} />}
        {session && (
          <ApiKeysPanel
            key={session.ownerId}
            apiBaseUrl=""
            email={session.email}
            confirmation={session.confirmation}
            place={place}
            onPlace={goTo}
            takesFocus={hasSignedIn || (state.phase === 'signed-in' && state.isNew)}
            onSignedOut={leave}
            {...(platformSignIn !== undefined && { platform: platformOf(session, platformSignIn) })}
            exampleUrl={exampleUrl}
            docsUrl={docsUrl}
            helpUrl={helpUrl}
          />
        )}
      </main>
    </>
  );
}

/** Drops the form of another person. */
function platformOf({ ownerId }: Session, signInUrl: string): Platform {
  return { signInUrl, ownerId, returned: kept?.ownerId === ownerId ? kept : undefined };
}
