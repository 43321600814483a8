import { useRef } from 'react';
import type { ApiKey } from '../api/types';
import { usePanel } from '../panel/context';
import { RevokeDialog } from '../revoke/RevokeDialog';
import { RotateDialog } from '../rotate/RotateDialog';

export interface KeyAction {
  readonly kind: 'revoke' | 'rotate';
  readonly key: ApiKey;
  /** The menu button of its row. */
  readonly opener: HTMLElement | null;
}

interface Props {
  readonly action: KeyAction | undefined;
  readonly onClose: () => void;
}

export function KeyDialogs({ action, onClose }: Props) {
  const { focusHeading } = usePanel();
  // Kept after the action, so that a dialog still has its texts while it fades away.
  const last = useRef(action);
  if (action) last.current = action;
  const restoreFocus = () => {
    const opener = last.current?.opener;
    if (opener?.isConnected) opener.focus();
    else focusHeading();
  };
  const key = last.current?.key;
  if (!key) return null;
  const common = { apiKey: key, onClose, onClosed: restoreFocus };
  return (
    <>
      <RevokeDialog {...common} opened={action?.kind === 'revoke'} />
      <RotateDialog {...common} opened={action?.kind === 'rotate'} />
    </>
  );
}
