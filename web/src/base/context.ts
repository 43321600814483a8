import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ApiClient } from '../api/client';
import type { ManagedAccount, Person, Session } from '../api/types';
import type { SessionGate } from '../api/session-gate';
import type { KeptDraft, PlatformTrip } from './trip';
import type { GoTo } from './place';

interface PanelContextValue {
  /** Its calls are about the keys of `account`. */
  readonly client: ApiClient;
  /** The service account whose keys are shown. Undefined: the person's own keys. */
  readonly account: ManagedAccount | undefined;
  readonly gate: SessionGate;
  readonly exampleUrl: string | undefined;
  readonly docsUrl: string | undefined;
  readonly helpUrl: string | undefined;
  /** Shows another tab, filter or key. */
  readonly goTo: GoTo;
  /** The host keeps the place in the page's address, so that a link to a place works in another tab. */
  readonly isInAddress: boolean;
  /** Set if the page itself signs people in. */
  readonly owner: Session | undefined;
  /** Set if people sign in at the platform and this page can send them there. */
  readonly trip: PlatformTrip | undefined;
  /** Shows the person's own keys, read again: somebody else has signed in. */
  readonly startAgain: () => void;
  /** Where the content of the tabs adds to the panel's head. Null until the head is there. */
  readonly head: HTMLElement | null;
  /** Shows a result, also to screen readers. Without one, removes the last result. */
  readonly announce: (message?: string) => void;
  /** Moves the focus to the panel's heading when the element that had it was removed. */
  readonly focusHeading: () => void;
}

export const PanelContext = createContext<PanelContextValue | null>(null);

export function usePanel(): PanelContextValue {
  const value = useContext(PanelContext);
  if (!value) throw new Error('This hook works only within ApiKeysPanel');
  return value;
}

/** What a person who is back from a sign-in had typed for the account that is shown. */
export function useReturned(): KeptDraft | undefined {
  const { account, trip } = usePanel();
  const returned = trip?.returned;
  return returned?.account === account?.id ? returned : undefined;
}

export const OWNER = ['owner'];

/** The owner of the keys, and the kind of confirmation for a new key. */
export function useOwner() {
  const { client, owner } = usePanel();
  return useQuery({
    queryKey: OWNER,
    queryFn: () => client.getOwner(),
    initialData: owner,
    // Changes rarely. If it has changed, the service refuses the next creation with the new kind.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** The accounts whose keys the person works with, their own first. Not for use within `ServiceAccount`. */
export function useAccounts() {
  const { client } = usePanel();
  return useQuery({
    queryKey: ['accounts'],
    queryFn: async () => (await client.listAccounts()).items,
    // Most people have only their own, which can't change while they look at it.
    refetchOnWindowFocus: ({ state }) => ((state.data?.length ?? 0) > 1 ? 'always' : false),
  });
}

/** An account may have neither name nor email, for example when it was deleted. Only administrators see emails. */
export const nameOf = ({ id, displayName, email }: Person & { readonly email?: string }): string =>
  displayName || email || id;
