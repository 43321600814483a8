import { useId } from 'react';
import type { DayCount } from '../api/types';
import classes from './chart.module.css';

const STEP = 5;
const WIDTH = 4;
const HEIGHT = 120;
/** So that a single request stays visible next to a million. */
const SHORTEST = 3;

interface Props {
  readonly days: readonly DayCount[];
  /** The number at the top of the drawing. */
  readonly highest: number;
}

/** A bar for each day: accepted requests are solid, rejected ones are striped on top of them. */
export function Bars({ days, highest }: Props) {
  const stripes = useId();
  const lengthOf = (count: number) => (count === 0 ? 0 : Math.max(SHORTEST, (count / highest) * HEIGHT));
  return (
    <svg
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes.bars}
      aria-hidden="true"
    >
      <pattern id={stripes} width={STEP} height="4" patternUnits="userSpaceOnUse">
        <rect width={STEP} height="2.5" className={classes.refused} />
      </pattern>
      {days.map(({ day, granted, refused }, index) => {
        const [accepted, rejected] = [lengthOf(granted), lengthOf(refused)];
        const place = { x: index * STEP + (STEP - WIDTH) / 2, width: WIDTH };
        // A gap between the two.
        const top = HEIGHT - accepted - rejected - (accepted > 0 ? 1.5 : 0);
        return (
          <g key={day}>
            {accepted > 0 && <rect {...place} y={HEIGHT - accepted} height={accepted} className={classes.granted} />}
            {rejected > 0 && <rect {...place} y={top} height={rejected} fill={`url(#${CSS.escape(stripes)})`} />}
          </g>
        );
      })}
    </svg>
  );
}
