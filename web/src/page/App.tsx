import { useState } from 'react';
import { ApiClient } from '../api/client';
import type { Session } from '../api/types';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { takeDraft } from '../new-key/kept-draft';
import { Panel } from '../panel/Panel';
import { PanelProviders } from '../panel/PanelProviders';
import type { Platform } from '../session/platform-trip';
import { FailureAlert } from '../ui/FailureAlert';
import { later } from '../ui/later';
import { Header } from './Header';
import classes from './page.module.css';
import surface from '../ui/surface.module.css';
import { docsUrl, exampleUrl, helpUrl } from './links';
import { hasSignedIn, weakness } from './landing';
import { LandingNotice } from './LandingNotice';
import { platformSignIn } from './sign-in-ways';
import { forgetPlace, usePlaceInAddress } from './usePlaceInAddress';
import { useSession } from './useSession';

const SignInPage = later(() => import('./SignInPage').then((part) => part.SignInPage));
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
      <main className={`${classes.main} ${surface.surface}`}>
        <LandingNotice />
        {state.phase === 'loading' && <KeyListSkeleton />}
        {state.phase === 'failed' && <FailureAlert error={state.error} onRetry={load} helpUrl={helpUrl} />}
        {state.phase === 'signed-out' && <SignInPage client={client} onSignedIn={load} />}
        {session && (
          <PanelProviders key={session.ownerId} colorScheme="auto">
            <Panel
              apiBaseUrl=""
              owner={session}
              place={place}
              onPlace={goTo}
              takesFocus={hasSignedIn || (state.phase === 'signed-in' && state.isNew)}
              onSignedOut={leave}
              {...(platformSignIn !== undefined && { platform: platformOf(session, platformSignIn) })}
              exampleUrl={exampleUrl}
              docsUrl={docsUrl}
              helpUrl={helpUrl}
            />
          </PanelProviders>
        )}
      </main>
    </>
  );
}

/** Drops the form of another person. */
function platformOf({ ownerId }: Session, signInUrl: string): Platform {
  const returned = kept?.ownerId === ownerId ? kept : undefined;
  return { signInUrl, ownerId, returned, confirmation: hasSignedIn ? (weakness ?? 'confirmed') : undefined };
}
