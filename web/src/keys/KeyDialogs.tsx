import { createContext, useContext, useMemo, useRef, useState, type ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { CreateKeyDialog } from '../create/CreateKeyDialog';
import { usePanel } from '../panel/context';
import { RevokeDialog } from '../revoke/RevokeDialog';
import type { Rotation } from '../rotate/rotation';
import { RotateDialog } from '../rotate/RotateDialog';

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

const KeyDialogsContext = createContext<Openers | null>(null);

export function useKeyDialogs(): Openers {
  const openers = useContext(KeyDialogsContext);
  if (!openers) throw new Error('This hook works only within KeyDialogs');
  return openers;
}

/** Outside of the tabs: a dialog may show a new key, which must not be lost when "back" leads to another tab. */
export function KeyDialogs({ children }: { readonly children: ReactNode }) {
  const { focusHeading, trip } = usePanel();
  const typed = trip?.returned?.typed;
  const [isCreating, setCreating] = useState(typed?.form === 'create');
  const [like, setLike] = useState<ApiKey>();
  const [action, setAction] = useState<KeyAction | undefined>(
    typed?.form === 'rotate' ? { kind: 'rotate', key: typed.replaced, opener: null } : undefined,
  );
  const [actions, setActions] = useState(0);
  const openers = useMemo(() => {
    const act = (next: KeyAction) => {
      setAction(next);
      setActions((count) => count + 1);
    };
    const create = (next?: ApiKey) => {
      setLike(next);
      setCreating(true);
    };
    return { create, act };
  }, []);
  // Kept after the action, so that a dialog still has its texts while it fades out.
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
      <CreateKeyDialog key={like?.id} like={like} opened={isCreating} onClose={() => setCreating(false)} />
      {common && <RevokeDialog {...common} rotation={last.current?.rotation} opened={action?.kind === 'revoke'} />}
      {common && (
        <RotateDialog key={actions} {...common} opened={action?.kind === 'rotate' || action?.kind === 'leaked'} />
      )}
    </KeyDialogsContext>
  );
}
