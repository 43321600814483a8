import { createContext, useContext, useMemo, useRef, useState, type ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { CreateKeyDialog } from '../create/CreateKeyDialog';
import { usePanel } from '../panel/context';
import { RevokeDialog } from '../revoke/RevokeDialog';
import { RotateDialog } from '../rotate/RotateDialog';

export interface KeyAction {
  readonly kind: 'revoke' | 'rotate';
  readonly key: ApiKey;
  /** The element that gets the focus afterwards, if it is still there. */
  readonly opener: HTMLElement | null;
}

interface Openers {
  readonly create: () => void;
  readonly act: (action: KeyAction) => void;
}

const KeyDialogsContext = createContext<Openers | null>(null);

export function useKeyDialogs(): Openers {
  const openers = useContext(KeyDialogsContext);
  if (!openers) throw new Error('Only within KeyDialogs');
  return openers;
}

/** Above the tabs: a dialog may show a new key, which must not be lost when "back" leads to another tab. */
export function KeyDialogs({ children }: { readonly children: ReactNode }) {
  const { focusHeading, trip } = usePanel();
  const [isCreating, setCreating] = useState(trip?.returned !== undefined);
  const [action, setAction] = useState<KeyAction>();
  const openers = useMemo(() => ({ create: () => setCreating(true), act: setAction }), []);
  // Kept after the action, so that a dialog still has its texts while it fades away.
  const last = useRef(action);
  if (action) last.current = action;
  const restoreFocus = () => {
    const opener = last.current?.opener;
    if (opener?.isConnected) opener.focus();
    else focusHeading();
  };
  const key = last.current?.key;
  const common = key && { apiKey: key, onClose: () => setAction(undefined), onClosed: restoreFocus };
  return (
    <KeyDialogsContext value={openers}>
      {children}
      <CreateKeyDialog opened={isCreating} onClose={() => setCreating(false)} />
      {common && <RevokeDialog {...common} opened={action?.kind === 'revoke'} />}
      {common && <RotateDialog {...common} opened={action?.kind === 'rotate'} />}
    </KeyDialogsContext>
  );
}
