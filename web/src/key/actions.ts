import { createContext, useContext } from 'react';
import type { ApiKey, Narrower } from '../api/types';
import type { Suggestion } from '../base/place';
import type { Rotation } from './status';

export interface KeyAction {
  /** A leaked key is replaced at once; the dialog also offers to only revoke it. */
  readonly kind: 'revoke' | 'rotate' | 'leaked' | 'resume';
  readonly key: ApiKey;
  readonly rotation?: Rotation | undefined;
  /** To what the successor of a rotated key is limited, if to less than the key. */
  readonly narrower?: Narrower | undefined;
  /** Of a key that is only revoked: the reason. */
  readonly leaked?: boolean;
  /** The element that gets the focus afterwards, if it still exists. */
  readonly opener: HTMLElement | null;
}

export interface ActionDialogProps {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called with the id of the new key, if one was made. */
  readonly onClosed: (madeKeyId?: string) => void;
}

interface Openers {
  /** The choices of an ended key or of a link are filled in. */
  readonly create: (like?: ApiKey | Suggestion) => void;
  readonly act: (action: KeyAction) => void;
}

export const KeyDialogsContext = createContext<Openers | null>(null);

export function useKeyDialogs(): Openers {
  const openers = useContext(KeyDialogsContext);
  if (!openers) throw new Error('This hook works only within ApiKeysPanel');
  return openers;
}

const LONGEST_MS = 5000;

/**
 * Focuses the link in a new key's row, which the list may show only in a moment, and marks the row as new. Until then,
 * and if it does not, the focus is where `fallback` puts it. It stays where the person moves it.
 */
export function focusRow(keyId: string, fallback: () => void): void {
  const link = () => {
    const shown = document.querySelector<HTMLElement>(`a[data-key-id="${keyId}"]`);
    shown?.toggleAttribute('data-new', true);
    return shown;
  };
  const found = link();
  if (found) return found.focus();
  fallback();
  const { activeElement } = document;
  const observer = new MutationObserver(() => {
    const isUnmoved = [activeElement, document.body].includes(document.activeElement);
    const shown = link();
    if (isUnmoved && !shown) return;
    observer.disconnect();
    if (isUnmoved) shown?.focus();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), LONGEST_MS);
}
