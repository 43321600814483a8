import type { RecentUse } from '../api/types';
import { useTexts } from '../texts';
import { DAY_MS, monthDay, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './Sparkline.module.css';

const STEP = 4;
const BAR = 3;
/** The heights of the bars and of what is below them. */
const BARS = 20;
const MARKS = 6;
const SHORTEST = 1.5;

/** The accepted requests of each day as bars; below them a mark for each day with rejected ones, and their number. */
export function Sparkline({ recent: { granted, refused } }: { readonly recent: RecentUse }) {
  const { history, keys, language, revoke } = useTexts();
  const now = useNow();
  const [accepted, rejected] = [sum(granted), sum(refused)];
  if (accepted + rejected === 0) return revoke.noRequests;
  const most = Math.max(...granted);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(SHORTEST, (count / most) * BARS));
  const lastRejected = now - (refused.length - 1 - refused.findLastIndex((count) => count > 0)) * DAY_MS;
  const [acceptedText, rejectedText] = [accepted, rejected].map((count) => wholeNumber(count, language));
  const name =
    rejected === 0
      ? keys.recent.accepted(acceptedText!)
      : keys.recent.rejected(acceptedText!, rejectedText!, monthDay(new Date(lastRejected).toISOString(), language));
  const width = granted.length * STEP;
  const height = BARS + (rejected === 0 ? 1 : MARKS);
  return (
    <>
      <svg
        role="img"
        aria-label={name}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        className={classes.sparkline}
      >
        <title>{name}</title>
        {granted.map((count, day) => (
          // The position is the day.
          // oxlint-disable-next-line no-array-index-key
          <rect key={day} x={day * STEP} y={BARS - heightOf(count)} width={BAR} height={heightOf(count)} />
        ))}
        <path className={classes.line} d={`M0 ${BARS + 0.5}H${width}`} />
        {refused.map(
          (count, day) =>
            count > 0 && (
              // oxlint-disable-next-line no-array-index-key
              <path key={day} className={classes.rejected} d={`m${day * STEP + BAR / 2} ${BARS + 1.5}l2 4.5h-4z`} />
            ),
        )}
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
