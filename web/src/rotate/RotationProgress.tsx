import { useTexts } from '../texts';
import { duration, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import { endOf } from '../keys/status';
import classes from './rotate.module.css';
import type { Rotation } from './rotation';

/** How far a rotation is, and until when the old key works. */
export function RotationProgress({ rotation: { old, next } }: { readonly rotation: Rotation }) {
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
