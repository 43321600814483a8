import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { ChartSkeleton } from '../history/UsageChart';
import { statusAt } from '../key/status';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { dangerous } from '../ui/dangerous';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { SidePanel } from '../ui/SidePanel';
import { useFocusReturn } from '../ui/focus';
import { allKeysPlaceOf } from './place';
import { NotAdministrator, useOwnedKey } from './useAllKeys';
import { KeyDrawerBody } from './KeyDrawerBody';
import { RevokeDialog } from './RevokeDialog';
import { useAdminTexts } from './texts';

interface Props {
  /** Undefined: closed. */
  readonly keyId: string | undefined;
  /** Shows another key. */
  readonly onOpen: (keyId: string) => void;
  readonly onClose: () => void;
}

/** The key of any owner: whose it is, what it did, and its end. */
export function KeyDrawer({ keyId, onOpen, onClose }: Props) {
  const { details } = useTexts();
  const admin = useAdminTexts();
  const { announce, trip } = usePanel();
  // Kept after it is closed, so that it still has its texts while it fades out.
  const last = useRef(keyId);
  if (keyId !== undefined) last.current = keyId;
  const opened = keyId !== undefined;
  const found = useOwnedKey(last.current, opened);
  const focus = useFocusReturn(opened);
  const now = useNow();
  const typed = trip?.returned?.typed;
  const draft = typed?.form === 'end' && keyId && allKeysPlaceOf(typed.search).keyId === keyId ? typed : undefined;
  const [ending, setEnding] = useState(draft && keyId);
  const [ended, setEnded] = useState<string>();
  const revoke = useRef<HTMLButtonElement>(null);
  const isUnknown = hasCode(found.error, 'not_found');
  const isLost = found.error instanceof NotAdministrator;
  const key = isUnknown || isLost ? undefined : found.key;
  const isEnding = key !== undefined && opened && ending === keyId;
  const over = (message: string) => {
    setEnding(undefined);
    setEnded(keyId);
    announce(message);
  };
  return (
    <>
      <SidePanel
        opened={opened}
        title={key?.name ?? details.title}
        // Its end is news, too.
        subject={keyId && `${keyId} ${ended === keyId}`}
        isEdited={isEnding}
        footer={
          key &&
          statusAt(key, now) === 'active' && (
            <Button ref={revoke} size="xs" {...dangerous} onClick={() => setEnding(keyId)}>
              {admin.revoke}
            </Button>
          )
        }
        onClose={onClose}
        onClosed={focus.restore}
      >
        {key && <KeyDrawerBody apiKey={key} found={found} onOpen={onOpen} />}
        {!key && !found.isError && <ChartSkeleton />}
        {isUnknown && <Notice tone="warning">{details.unknown}</Notice>}
        {isLost && <Lost />}
        {found.isError && !isUnknown && !isLost && !key && (
          <FailureAlert error={found.error} isRetrying={found.isFetching} onRetry={() => void found.refetch()} />
        )}
      </SidePanel>
      {key && (
        <RevokeDialog
          apiKey={key}
          opened={isEnding}
          note={draft?.note ?? ''}
          onOver={over}
          onClose={() => setEnding(undefined)}
          onClosed={() => revoke.current?.focus()}
        />
      )}
    </>
  );
}

/** The person had the permission when the page was loaded. */
export function Lost() {
  const { lost } = useAdminTexts();
  return (
    <Notice tone="warning" title={lost.title}>
      {lost.text}
    </Notice>
  );
}
