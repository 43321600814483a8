import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiKey } from '../api/types';
import type { Typed } from '../base/trip';
import { usePanel, useReturned } from '../base/context';
import { useTexts } from '../texts';
import { focusRow, type KeyAction, KeyDialogsContext } from '../key/actions';

interface Props {
  /** Called with whether a dialog is open. */
  readonly onOpened: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** Outside of the tabs: a dialog may show a new key, which must not be lost when "back" leads to another tab. */
export function KeyDialogs({ onOpened, children }: Props) {
  const texts = useTexts();
  const { announce, focusHeading } = usePanel();
  const typed = useReturned()?.typed;
  const [isCreating, setCreating] = useState(typed?.form === 'create');
  const [like, setLike] = useState<ApiKey>();
  const [action, setAction] = useState(() => typed && actionOf(typed));
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
  const closeAction = () => setAction(undefined);
  const isOpen = isCreating || action !== undefined;
  useEffect(() => onOpened(isOpen), [isOpen, onOpened]);
  const dialogs = useDialogs(isOpen, () => {
    setCreating(false);
    closeAction();
    announce(texts.failure.noAnswer);
  });
  // Kept after the action, so that a dialog still has its texts while it fades out.
  const last = useRef(action);
  if (action) last.current = action;
  const restoreFocus = () => {
    const opener = last.current?.opener;
    if (opener?.isConnected) opener.focus();
    else focusHeading();
  };
  const onClosed = (madeKeyId?: string) =>
    madeKeyId === undefined ? restoreFocus() : focusRow(madeKeyId, restoreFocus);

  const shown = last.current;
  // A leaked key of a rotation needs no third key: it is revoked, and the other one stays.
  const kindOf = ({ kind, rotation }: KeyAction) => (kind === 'leaked' && rotation ? 'revoke' : kind);
  const kind = action && kindOf(action);
  const common = shown && { apiKey: shown.key, onClose: closeAction, onClosed };
  return (
    <KeyDialogsContext value={openers}>
      {children}
      {dialogs && (
        <dialogs.CreateKeyDialog key={like?.id} like={like} opened={isCreating} onClose={() => setCreating(false)} />
      )}
      {dialogs && common && (
        <>
          <dialogs.RevokeDialog
            {...common}
            rotation={shown.rotation}
            leaked={shown.leaked}
            opened={kind === 'revoke'}
          />
          <dialogs.RotateDialog
            key={`rotate ${actions}`}
            {...common}
            narrower={shown.narrower}
            opened={kind === 'rotate'}
          />
          <dialogs.ResumeDialog key={`resume ${actions}`} {...common} opened={kind === 'resume'} />
          <dialogs.LeakedDialog
            key={`leaked ${actions}`}
            {...common}
            opened={kind === 'leaked'}
            onOnlyRevoke={() => openers.act({ ...shown, kind: 'revoke', leaked: true })}
          />
        </>
      )}
    </KeyDialogsContext>
  );
}

/** Opens the dialog again of a person who left it to sign in. */
function actionOf(typed: Typed): KeyAction | undefined {
  return typed.form === 'create' || typed.form === 'end'
    ? undefined
    : { kind: typed.form, key: typed.replaced, opener: null };
}

type Dialogs = typeof import('./dialogs');

const load = () => import('./dialogs');

/**
 * The dialogs, once they are loaded: when the person first moves the pointer, touches the page or presses a key, and at
 * the latest when `isNeeded`.
 * @param onFailed called if a needed dialog could not be loaded
 */
function useDialogs(isNeeded: boolean, onFailed: () => void): Dialogs | undefined {
  const [dialogs, setDialogs] = useState<Dialogs>();

  useEffect(() => {
    const begin = () => void load().then(setDialogs, () => undefined);
    const signs = ['pointerover', 'keydown'];
    for (const sign of signs) addEventListener(sign, begin, { once: true });
    return () => {
      for (const sign of signs) removeEventListener(sign, begin);
    };
  }, []);

  useEffect(() => {
    if (isNeeded && !dialogs) load().then(setDialogs, onFailed);
  }, [isNeeded]);
  return dialogs;
}
