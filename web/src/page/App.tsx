import { useEffect, useState } from 'react';
import { Box, Button, Group } from '@mantine/core';
import { ApiClient } from '../api/client';
import type { Session } from '../api/types';
import { ListSkeleton } from '../ui/Nothing';
import { type Platform, takeDraft } from '../base/trip';
import { Panel } from '../panel/Panel';
import { PanelProviders } from '../panel/PanelProviders';
import type { OwnTab } from '../panel/PanelTabs';
import { searchOf, START } from '../base/place';
import { FailureAlert, Notice } from '../ui/Notice';
import { later } from '../ui/later';
import { Header } from './Header';
import classes from './page.module.css';
import surface from '../ui/surface.module.css';
import {
  docsUrl,
  exampleUrl,
  hasSignedIn,
  helpUrl,
  isAnother,
  otherAccount,
  platformSignIn,
  refusal,
  weakness,
} from './written';
import { forgetPlace, step, usePlaceInAddress, useSearch } from '../base/address';
import { type PageTexts, usePageTexts } from '../texts';
import { useSession } from './useSession';
import { HelpLink } from '../ui/links';

const SignInPage = later(() => import('./SignInPage').then((part) => part.SignInPage));
const Administration = later(() => import('../admin/tabs').then((part) => part.loadAdministration()), {
  fallback: <ListSkeleton />,
  isRare: true,
});
const kept = takeDraft();
// The platform sends people back without it.
if (kept?.account !== undefined) history.replaceState(null, '', searchOf({ ...START, account: kept.account }));

/** The page around the panel: shows who is signed in, with sign-in and sign-out. */
export function App() {
  const [client] = useState(() => new ApiClient({ apiBaseUrl: '' }));
  const { state, load, signOut, leave } = useSession(client);
  const [place, goTo] = usePlaceInAddress();
  const session = state.phase === 'signed-in' ? state.session : undefined;
  const ownTabs = useAdministrationTabs(session);
  const [hasChanged, setChanged] = useState(false);
  const change = () => {
    setChanged(true);
    load();
  };
  return (
    <>
      <Header session={session} onSignOut={() => void signOut().then(forgetPlace)} />
      <main className={`${classes.main} ${surface.surface}`}>
        <LandingNotice isOther={isAnother || hasChanged} />
        {state.phase === 'loading' && <ListSkeleton />}
        {state.phase === 'failed' && <FailureAlert error={state.error} onRetry={load} helpUrl={helpUrl} />}
        {state.phase === 'signed-out' && <SignInPage client={client} onSignedIn={load} />}
        {session && (
          <PanelProviders key={session.ownerId} colorScheme="auto">
            <Panel
              apiBaseUrl=""
              owner={session}
              place={place}
              onPlace={goTo}
              ownTabs={ownTabs}
              takesFocus={hasSignedIn || (state.phase === 'signed-in' && state.isNew)}
              onSignedOut={leave}
              onAnotherPerson={change}
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

/** The keys of all owners and the audit trail, if the person may see them. */
function useAdministrationTabs(session: Session | undefined): readonly OwnTab[] {
  const { allKeys, audit } = usePageTexts();
  const opened = new URLSearchParams(useSearch()).get('tab');
  // Back from a sign-in that was to confirm the end of keys.
  const left = kept?.typed.form === 'end' && kept.ownerId === session?.ownerId ? kept.typed.search : undefined;
  useEffect(() => {
    if (left !== undefined) step(left, true);
  }, [left]);
  if (!session?.isAdministrator) return [];
  const labels = { 'all-keys': allKeys, audit };
  return (['all-keys', 'audit'] as const).map((name) => ({
    name,
    label: labels[name],
    isOpen: opened === name,
    onOpen: () => step(`?tab=${name}`, false),
    content: <Administration tab={name} />,
  }));
}

/** Drops the form of another person. */
function platformOf({ ownerId }: Session, signInUrl: string): Platform {
  const returned = kept?.ownerId === ownerId ? kept : undefined;
  return { signInUrl, ownerId, returned, confirmation: hasSignedIn ? (weakness ?? 'confirmed') : undefined };
}

type Reason = keyof PageTexts['refused'];

/** The platform would only sign the same person in again. */
const OF_ACCOUNTS: readonly Reason[] = ['no_account', 'service_account', 'suspended', 'deleted'];

/** Reports that somebody else is signed in, or an unexpected result of a sign-in at the platform. */
function LandingNotice({ isOther }: { readonly isOther: boolean }) {
  const { another, refused, ...texts } = usePageTexts();
  if (refusal === undefined && !isOther) return null;
  // The address may contain any text.
  const reason = refusal !== undefined && Object.hasOwn(refused, refusal) ? (refusal as Reason) : 'failed';
  const said = isOther ? another : refused[reason];
  const offersOther = !isOther && OF_ACCOUNTS.includes(reason) && otherAccount !== undefined;
  return (
    <Box maw="40rem" mx="auto" mb="lg">
      <Notice tone={isOther || reason === 'cancelled' ? 'warning' : 'danger'} title={said.title}>
        {said.text}
        {(offersOther || helpUrl !== undefined) && (
          <Group mt="sm">
            {offersOther && (
              <Button component="a" href={otherAccount} size="xs" variant="default">
                {texts.otherAccount}
              </Button>
            )}
            <HelpLink url={helpUrl} />
          </Group>
        )}
      </Notice>
    </Box>
  );
}
