import { useTexts } from '../texts';
import { duration } from '../time/format';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './rotate.module.css';
import type { Rotation } from './rotation';

/** When the old key ends, as long as the new one has not been used. */
export function UntilUsed({ rotation: { old, next } }: { readonly rotation: Rotation }) {
  const { rotate, language } = useTexts();
  const { until, untilAfter, latest } = rotate.pair;
  return (
    <span className={classes.until}>
      <span>{next.graceSeconds ? untilAfter(duration(next.graceSeconds, language)) : until}</span>
      <span className={classes.latest}>
        <RelativeTime iso={old.expiresAt} text={latest} />
      </span>
    </span>
  );
}
