import type { RecentUse } from '../api/types';
import { useTexts } from '../texts';
import { DAY_MS, monthDay, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './Sparkline.module.css';

const STEP = 4;
const BAR = 3;
const HEIGHT = 18;
/** Free above the highest bar. */
const TOP = 2;
const SHORTEST = 1.5;

/** The requests of each day as a bar, with the rejected ones on top, as in the chart of a key; and their number. */
export function Sparkline({ recent: { granted, refused } }: { readonly recent: RecentUse }) {
  const { history, keys, language, revoke } = useTexts();
  const now = useNow();
  const [accepted, rejected] = [sum(granted), sum(refused)];
  const most = Math.max(...granted.map((count, day) => count + (refused[day] ?? 0)));
  const heightOf = (count = 0) => (count === 0 ? 0 : Math.max(SHORTEST, (count / most) * HEIGHT));
  const lastRejected = now - (refused.length - 1 - refused.findLastIndex((count) => count > 0)) * DAY_MS;
  const [acceptedText, rejectedText] = [accepted, rejected].map((count) => wholeNumber(count, language));
  const name =
    accepted + rejected === 0
      ? revoke.noRequests
      : rejected === 0
        ? keys.recent.accepted(acceptedText!)
        : keys.recent.rejected(acceptedText!, rejectedText!, monthDay(new Date(lastRejected).toISOString(), language));
  const width = granted.length * STEP;
  const bars = (counts: readonly number[], below: readonly number[]) =>
    counts.map((count, day) => {
      const [height, foot] = [heightOf(count), heightOf(below[day])];
      // The position is the day.
      // oxlint-disable-next-line no-array-index-key
      return height > 0 && <rect key={day} x={day * STEP} y={HEIGHT - foot - height} width={BAR} height={height} />;
    });
  return (
    <>
      <svg
        role="img"
        aria-label={name}
        viewBox={`0 ${-TOP} ${width} ${TOP + HEIGHT + 1}`}
        className={classes.sparkline}
      >
        <title>{name}</title>
        {bars(granted, [])}
        <g className={classes.rejected}>{bars(refused, granted)}</g>
        <path className={classes.line} d={`M0 ${HEIGHT + 0.5}H${width}`} />
      </svg>
      {rejected > 0 && (
        // Part of the name of the drawing.
        <span className={classes.rejected} aria-hidden="true">
          {history.refused(rejectedText!)}
        </span>
      )}
    </>
  );
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
