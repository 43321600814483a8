import { createContext, useContext } from 'react';
import type { ApiClient } from '../api/client';
import type { Confirmation } from '../api/types';
import type { SessionGate } from '../api/session-gate';
import type { PanelPlace } from './place';
import type { PlatformTrip } from '../session/platform-trip';

interface PanelContextValue {
  readonly client: ApiClient;
  readonly gate: SessionGate;
  readonly exampleUrl: string;
  readonly helpUrl: string | undefined;
  /** Moves the person to another tab, filter or key. */
  readonly goTo: (place: PanelPlace) => void;
  /** What confirms the creation of a key. */
  readonly confirmation: Confirmation;
  /** Set where people sign in at the platform, and this page can send them there. */
  readonly trip: PlatformTrip | undefined;
  /** Set where the page itself signs people in. */
  readonly email: string | undefined;
  /** Shows a result, also to screen readers. */
  readonly announce: (message: string) => void;
  /** Moves the focus to the panel's heading, when the element that had it is gone. */
  readonly focusHeading: () => void;
}

export const PanelContext = createContext<PanelContextValue | null>(null);

export function usePanel(): PanelContextValue {
  const value = useContext(PanelContext);
  if (!value) throw new Error('Only within ApiKeysPanel');
  return value;
}
