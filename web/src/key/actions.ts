import { createContext, useContext } from 'react';
import type { ApiKey } from '../api/types';
import type { Rotation } from './rotation';

export interface KeyAction {
  /** A leaked key is replaced at once; the dialog also offers to only revoke it. */
  readonly kind: 'revoke' | 'rotate' | 'leaked';
  readonly key: ApiKey;
  /** The rotation that the key is part of. */
  readonly rotation?: Rotation | undefined;
  /** The element that gets the focus afterwards, if it still exists. */
  readonly opener: HTMLElement | null;
}

interface Openers {
  /** With an ended key, its choices are filled in. */
  readonly create: (like?: ApiKey) => void;
  readonly act: (action: KeyAction) => void;
}

export const KeyDialogsContext = createContext<Openers | null>(null);

export function useKeyDialogs(): Openers {
  const openers = useContext(KeyDialogsContext);
  if (!openers) throw new Error('This hook works only within KeyDialogs');
  return openers;
}
