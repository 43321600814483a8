import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiKey } from '../api/types';
import type { Typed } from '../base/trip';
import { usePanel, useReturned } from '../base/context';
import type { StatusFilter, Suggestion } from '../base/place';
import { focusRow, type KeyAction, KeyDialogsContext } from '../key/actions';
import { later } from '../ui/later';

const load = () => import('./dialogs');
const ONCE_OPENED = { isWanted: ({ opened }: { readonly opened: boolean }) => opened, isOverlay: true };
const CreateKeyDialog = later(() => load().then((part) => part.CreateKeyDialog), ONCE_OPENED);
const RevokeDialog = later(() => load().then((part) => part.RevokeDialog), ONCE_OPENED);
const RotateDialog = later(() => load().then((part) => part.RotateDialog), ONCE_OPENED);
const ResumeDialog = later(() => load().then((part) => part.ResumeDialog), ONCE_OPENED);
const LeakedDialog = later(() => load().then((part) => part.LeakedDialog), ONCE_OPENED);

interface Props {
  /** Of the list behind the dialogs. */
  readonly status: StatusFilter;
  readonly onOpened: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** Outside of the tabs: a dialog may show a new key, which must not be lost when "back" leads to another tab. */
export function KeyDialogs({ status, onOpened, children }: Props) {
  const { focusHeading } = usePanel();
  const typed = useReturned()?.typed;
  const [isCreating, setCreating] = useState(typed?.form === 'create');
  const [like, setLike] = useState<ApiKey | Suggestion>();
  const [action, setAction] = useState(() => typed && actionOf(typed));
  const [actions, setActions] = useState(0);
  const isAnyOpen = useRef(false);
  const openers = useMemo(() => {
    const act = (next: KeyAction) => {
      setAction(next);
      setActions((count) => count + 1);
    };
    const create = (next?: ApiKey | Suggestion) => {
      // A link must not replace what a dialog shows.
      if (isAnyOpen.current) return;
      setLike(next);
      setCreating(true);
    };
    return { create, act };
  }, []);
  const closeAction = () => setAction(undefined);
  const isOpen = isCreating || action !== undefined;
  isAnyOpen.current = isOpen;
  useEffect(() => onOpened(isOpen), [isOpen, onOpened]);
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
      <CreateKeyDialog
        key={like && ('id' in like ? like.id : JSON.stringify(like))}
        like={like}
        opened={isCreating}
        onClose={() => setCreating(false)}
      />
      {common && (
        <>
          <RevokeDialog
            {...common}
            rotation={shown.rotation}
            leaked={shown.leaked === true}
            opened={kind === 'revoke'}
          />
          <RotateDialog key={`rotate ${actions}`} {...common} narrower={shown.narrower} opened={kind === 'rotate'} />
          <ResumeDialog key={`resume ${actions}`} {...common} opened={kind === 'resume'} />
          <LeakedDialog
            key={`leaked ${actions}`}
            {...common}
            opened={kind === 'leaked'}
            status={status}
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
