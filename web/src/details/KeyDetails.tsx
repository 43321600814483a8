import { useRef } from 'react';
import { hasCode } from '../api/problem';
import { useKeyDialogs, type KeyAction } from '../keys/KeyDialogs';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { SidePanel } from '../ui/SidePanel';
import { useFocusReturn } from '../ui/useFocusReturn';
import { KeyDetailsBody } from './KeyDetailsBody';
import { useRotation } from '../rotate/useRotation';
import { useKey } from './useKey';

interface Props {
  /** Undefined: closed. */
  readonly keyId: string | undefined;
  readonly onOpen: (keyId: string) => void;
  readonly onClose: () => void;
}

/** The details, usage and newest events of one key. */
export function KeyDetails({ keyId, onOpen, onClose }: Props) {
  const texts = useTexts();
  const { details } = texts;
  const { act } = useKeyDialogs();
  // Kept after it is closed, so that it still has its texts while it fades out.
  const last = useRef(keyId);
  if (keyId !== undefined) last.current = keyId;
  const opened = keyId !== undefined;
  const found = useKey(last.current, opened);
  const { rotation } = useRotation(found.key, opened);
  const focus = useFocusReturn(opened);
  const next = useRef<KeyAction['kind']>(undefined);
  const choose = (kind: KeyAction['kind']) => {
    next.current = kind;
    onClose();
  };
  // One dialog after the other, because two at a time would both trap the focus.
  const afterwards = () => {
    const kind = next.current;
    next.current = undefined;
    if (kind && found.key) act({ kind, key: found.key, rotation, opener: focus.opener() });
    else focus.restore();
  };

  const isUnknown = hasCode(found.error, 'not_found');
  return (
    <SidePanel
      opened={opened}
      title={found.key?.name ?? details.title}
      subject={keyId}
      onClose={onClose}
      onClosed={afterwards}
    >
      {found.key && !isUnknown && (
        <KeyDetailsBody apiKey={found.key} found={found} rotation={rotation} onOpen={onOpen} onAction={choose} />
      )}
      {!found.key && found.isLoading && <KeyListSkeleton />}
      {isUnknown && <Notice tone="warning">{details.unknown}</Notice>}
      {found.isError && !isUnknown && !found.key && (
        <FailureAlert error={found.error} isRetrying={found.isFetching} onRetry={() => void found.refetch()} />
      )}
    </SidePanel>
  );
}
