import { useId } from 'react';
import type { DayCount } from '../api/types';
import { USAGE_KEPT_DAYS } from '../rules';
import { useTexts } from '../texts';
import { dayDate, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import { chartOf, requestsOf } from './chart';
import classes from './history.module.css';

const STEP = 5;
const WIDTH = 4;

/** Two kinds of bars, which differ in side, pattern and colour, with a description for screen readers. */
export function UsageChart({ days }: { readonly days: readonly DayCount[] }) {
  const { history, language } = useTexts();
  const stripes = useId();
  const { bars, above, below, total, busiest } = chartOf(days, useNow());
  const [granted, refused] = [wholeNumber(total.granted, language), wholeNumber(total.refused, language)];
  const most = history.busiest(dayDate(busiest.day, language), wholeNumber(requestsOf(busiest), language));
  const area = { x: 0, width: bars.length * STEP };
  const xOf = (index: number) => index * STEP + (STEP - WIDTH) / 2;
  return (
    <figure className={classes.chart}>
      <svg
        role="img"
        aria-label={`${history.summary(USAGE_KEPT_DAYS, granted, refused)} ${most}`}
        viewBox={`0 ${-above} ${area.width} ${above + below}`}
        height={above + below}
        preserveAspectRatio="none"
        className={classes.drawing}
      >
        <pattern id={stripes} width={STEP} height="4" patternUnits="userSpaceOnUse">
          <rect width={STEP} height="2.5" className={classes.refused} />
        </pattern>
        {bars.map(
          (bar, index) =>
            bar.granted > 0 && (
              <rect
                key={bar.day}
                x={xOf(index)}
                y={-bar.granted}
                width={WIDTH}
                height={bar.granted}
                className={classes.granted}
              />
            ),
        )}
        {bars.map(
          (bar, index) =>
            bar.refused > 0 && (
              <rect
                key={bar.day}
                x={xOf(index)}
                y={1}
                width={WIDTH}
                height={bar.refused}
                fill={`url(#${CSS.escape(stripes)})`}
              />
            ),
        )}
        <rect {...area} y={-0.5} height={1} className={classes.line} />
      </svg>
      <div className={classes.ends} aria-hidden="true">
        <span>{dayDate(bars[0]!.day, language)}</span>
        <span>{history.today}</span>
      </div>
      <figcaption className={classes.legend}>
        <span data-kind="granted">{history.granted(granted)}</span>
        <span data-kind="refused">{history.refused(refused)}</span>
        <span>{most}</span>
      </figcaption>
    </figure>
  );
}
