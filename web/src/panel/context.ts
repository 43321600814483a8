import { createContext, useContext } from 'react';
import type { ApiClient } from '../api/client';
import type { SessionGate } from '../api/session-gate';

export interface PanelContextValue {
  readonly client: ApiClient;
  readonly gate: SessionGate;
  readonly exampleUrl: string;
  /** Known where the page signs people in itself. */
  readonly email: string | undefined;
  /** Tells of a result, for eyes and for screen readers. */
  readonly announce: (message: string) => void;
  /** Puts the focus on the panel's heading, when what had it is gone. */
  readonly focusHeading: () => void;
}

export const PanelContext = createContext<PanelContextValue | null>(null);

export function usePanel(): PanelContextValue {
  const value = useContext(PanelContext);
  if (!value) throw new Error('Only within ApiKeysPanel');
  return value;
}
