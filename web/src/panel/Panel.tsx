import { Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { ApiClient, type ApiClientOptions } from '../api/client';
import type { FreshSignIn } from '../api/problem';
import type { Session } from '../api/types';
import { SessionGate } from '../api/session-gate';
import { type Platform, PlatformTrip } from '../base/trip';
import { useTexts } from '../texts';
import { Announcer, useAnnouncement } from '../ui/Announcer';
import { HelpLink } from '../ui/links';
import { later, LoadTheRest } from '../ui/later';
import { AccountGate, type OwnTab, PanelTabs } from './PanelTabs';
import { OWNER, PanelContext } from '../base/context';
import classes from './Panel.module.css';
import surface from '../ui/surface.module.css';
import { type GoTo, type PanelPlace, START } from '../base/place';

export interface PanelProps extends Pick<ApiClientOptions, 'apiBaseUrl' | 'getToken'> {
  /**
   * The current place, if the host keeps it in its address, so that "back" and a reload work as people expect. Without it
   * the panel keeps the place itself. The panel never changes the address.
   */
  readonly place?: PanelPlace | undefined;
  /** Called with the next `place`. */
  readonly onPlace?: GoTo | undefined;
  /** The address that the examples for a new key call. Without it they have a placeholder. */
  readonly exampleUrl?: string | undefined;
  /** The address that explains how to use a key. */
  readonly docsUrl?: string | undefined;
  /** The address where people get help. */
  readonly helpUrl?: string | undefined;
  /** The person who is signed in, if the page knows it: only this person can sign in again. Otherwise the panel asks the service. */
  readonly owner?: Session;
  /** Where people sign in at the platform, by leaving this page. */
  readonly platform?: Platform;
  /** Gives the focus to the panel's heading when it appears: the person has just signed in. */
  readonly takesFocus?: boolean;
  /** Further tabs, of the page around the panel. */
  readonly ownTabs?: readonly OwnTab[];
  /** The session has ended and was not renewed. */
  readonly onSignedOut?: () => void;
  /** Somebody else than `owner` has signed in. */
  readonly onAnotherPerson?: () => void;
}

const SignInAgainDialog = later(() => import('../session/SignInAgainDialog').then((part) => part.SignInAgainDialog), {
  isWanted: ({ opened }) => opened,
  isOverlay: true,
});

const AccountSwitch = later(() => import('../accounts/accounts').then((part) => part.AccountSwitch), {
  isWanted: ({ isWanted }) => isWanted,
});
const AccountOfKeys = later(() => import('../accounts/accounts').then((part) => part.AccountOfKeys), {
  isWanted: ({ account }) => account !== undefined,
});

export function Panel({ apiBaseUrl, getToken, exampleUrl, docsUrl, helpUrl, owner, ...given }: PanelProps) {
  const texts = useTexts();
  const { platform, takesFocus = false, onSignedOut } = given;
  const [gate] = useState(() => new SessionGate());
  const [ownPlace, setOwnPlace] = useState(START);
  const place = given.place ?? ownPlace;
  const goTo: GoTo = given.onPlace ?? setOwnPlace;
  const [trip] = useState(() => platform && new PlatformTrip(platform));
  const isAskedToSignIn = useSyncExternalStore(gate.subscribe, gate.isAsking);
  const [announcement, announce] = useAnnouncement();
  const queryClient = useQueryClient();
  // Few people have other accounts, so nobody's list waits for them.
  const [isAtRest, setAtRest] = useState(false);
  const [head, setHead] = useState<HTMLElement | null>(null);
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  // A host may pass new functions on each render; the latest ones are called.
  const current = { getToken, onAnotherPerson: given.onAnotherPerson, texts, place, goTo };
  const latest = useRef(current);
  latest.current = current;
  const hasToken = getToken !== undefined;
  const isInAddress = given.place !== undefined;

  const value = useMemo(() => {
    const getLatestToken = (freshSignIn?: FreshSignIn) => latest.current.getToken?.(freshSignIn) ?? '';
    const credentials = hasToken ? { getToken: getLatestToken } : { signInAgain: gate.signInAgain };
    const startAgain = () => {
      if (latest.current.place.account !== undefined) latest.current.goTo(START, { replace: true });
      void queryClient.resetQueries();
    };
    const client = new ApiClient({
      apiBaseUrl,
      ...credentials,
      person: () => (owner ?? queryClient.getQueryData<Session>(OWNER))?.ownerId,
      onAnotherPerson: () => {
        const { onAnotherPerson, texts: latestTexts } = latest.current;
        if (onAnotherPerson) return onAnotherPerson();
        startAgain();
        announce(latestTexts.failure.anotherPerson);
      },
    });
    const focusHeading = () => heading.current?.focus();
    return {
      client,
      account: undefined,
      gate,
      exampleUrl,
      docsUrl,
      helpUrl,
      goTo: ((to, options) => latest.current.goTo(to, options)) satisfies GoTo,
      isInAddress,
      owner,
      trip,
      startAgain,
      head,
      announce,
      focusHeading,
    };
  }, [apiBaseUrl, hasToken, gate, exampleUrl, docsUrl, helpUrl, isInAddress, owner, trip, head, announce, queryClient]);

  // A form that is open has the focus already.
  useEffect(() => {
    if (takesFocus && !trip?.returned) heading.current?.focus();
  }, [takesFocus, trip]);

  return (
    <PanelContext value={value}>
      <section className={surface.surface} aria-labelledby={titleId}>
        <div className={classes.content}>
          <div className={classes.head}>
            <div className={classes.whose}>
              <Title order={2} id={titleId} ref={heading} tabIndex={-1} className={classes.title}>
                {texts.panelTitle}
                <AccountOfKeys account={place.account} />
              </Title>
              <AccountSwitch isWanted={isAtRest || place.account !== undefined} place={place} />
            </div>
            <HelpLink url={docsUrl} label={texts.reveal.docs} />
            <HelpLink url={helpUrl} />
            <div ref={setHead} className={classes.more} />
          </div>
          <AccountGate>
            <PanelTabs place={place} ownTabs={given.ownTabs ?? []} />
          </AccountGate>
        </div>
        <SignInAgainDialog opened={isAskedToSignIn} onGivenUp={onSignedOut} />
        <Announcer message={announcement} />
        <LoadTheRest onLoading={() => setAtRest(true)} />
      </section>
    </PanelContext>
  );
}
