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
import { useKey } from './useKey';

interface Props {
  /** Undefined: closed. */
  readonly keyId: string | undefined;
  readonly onClose: () => void;
}

/** All that is known of one key. */
export function KeyDetails({ keyId, onClose }: Props) {
  const texts = useTexts();
  const { details } = texts;
  const { act } = useKeyDialogs();
  // Kept after it is closed, so that it still has its texts while it fades away.
  const last = useRef(keyId);
  if (keyId !== undefined) last.current = keyId;
  const found = useKey(last.current);
  const opened = keyId !== undefined;
  const focus = useFocusReturn(opened);
  const next = useRef<KeyAction['kind']>(undefined);
  const choose = (kind: KeyAction['kind']) => {
    next.current = kind;
    onClose();
  };
  // One dialog after the other: two at a time would both hold the focus.
  const afterwards = () => {
    const kind = next.current;
    next.current = undefined;
    if (kind && found.data) act({ kind, key: found.data, opener: focus.opener() });
    else focus.restore();
  };

  return (
    <SidePanel opened={opened} title={found.data?.name ?? details.title} onClose={onClose} onClosed={afterwards}>
      {found.data && <KeyDetailsBody apiKey={found.data} onAction={choose} />}
      {found.isPending && <KeyListSkeleton />}
      {found.isError &&
        (hasCode(found.error, 'not_found') ? (
          <Notice tone="warning">{details.unknown}</Notice>
        ) : (
          <FailureAlert error={found.error} isRetrying={found.isFetching} onRetry={() => void found.refetch()} />
        ))}
    </SidePanel>
  );
}
