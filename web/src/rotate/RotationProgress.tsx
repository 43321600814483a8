import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KEYS, showCurrent } from '../key/useApiKeys';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { duration, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import { endOf } from '../key/status';
import classes from './rotate.module.css';
import type { Rotation } from './rotation';

const POLL_MS = 5000;

/** How far a rotation is, and until when the old key works. */
export function RotationProgress({ rotation }: { readonly rotation: Rotation }) {
  const { old, next } = rotation;
  useFirstUse(rotation);
  const texts = useTexts();
  const now = useNow();
  const { progress } = texts.keys;
  const isInUse = next.lastUsedAt !== null;
  const { prefix } = old;
  const untilUsed = next.graceSeconds
    ? progress.untilAfter(prefix, duration(next.graceSeconds, texts.language))
    : progress.untilThen(prefix);
  return (
    <span className={classes.progress} data-in-use={isInUse || undefined}>
      <strong>{isInUse ? progress.inUse : progress.waiting}</strong>
      {' · '}
      {isInUse ? progress.ends(prefix, relativeTime(endOf(old), now, texts)) : untilUsed}
    </span>
  );
}

/**
 * Reads the new key of a rotation until it is used or has ended, and then the old one, which gets its end by that. While
 * the tab is hidden it reads nothing.
 */
function useFirstUse({ old, next }: Rotation): void {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  useQuery({
    queryKey: [...KEYS, 'first-use', next.id],
    queryFn: async () => {
      const current = await client.getKey(next.id);
      const isWaiting = current.lastUsedAt === null && current.status === 'active';
      if (!isWaiting) showCurrent(queryClient, [current, await client.getKey(old.id)]);
      return isWaiting;
    },
    enabled: next.lastUsedAt === null,
    // The list has just been read.
    initialData: true,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  });
}
