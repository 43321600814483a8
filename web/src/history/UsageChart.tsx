import { Skeleton, VisuallyHidden } from '@mantine/core';
import { type PointerEvent, useId, useState } from 'react';
import type { DayCount } from '../api/types';
import { USAGE_KEPT_DAYS } from '../rules';
import { useTexts } from '../texts';
import { compactNumber, monthDay, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './chart.module.css';
import { usageOf } from './usage';

/** The distance of the dates below the chart. */
const DATE_EVERY_DAYS = 30;

interface Props {
  readonly days: readonly DayCount[];
  /** Whether the key was ever used. */
  readonly isUsed: boolean;
}

/**
 * A chart with a cursor for the day whose numbers are written below it. The cursor is the browser's own range input, which
 * works with keyboards, screen readers, mouse and touch, and makes the chart one tab stop.
 */
export function UsageChart({ days: counts, isUsed }: Props) {
  const { history, language } = useTexts();
  const id = useId();
  const usage = usageOf(counts, useNow(), USAGE_KEPT_DAYS);
  const { days, lines } = usage;
  const last = days.length - 1;
  // By its date, since at midnight all days move by one.
  const [chosen, choose] = useState<string>();
  const found = days.findIndex(({ day }) => day === chosen);
  const index = found === -1 ? last : found;
  const shown = days[index]!;
  const number = (count: number) => wholeNumber(count, language);
  const shownText = history.day(monthDay(shown.day, language), number(shown.granted), number(shown.refused));
  const isEmpty = usage.granted + usage.refused === 0;
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * days.length);
    choose(days[Math.min(last, Math.max(0, at))]!.day);
  };
  return (
    <div className={classes.chart}>
      <p className={classes.totals} id={`${id}totals`}>
        <span data-kind="granted">{history.granted(number(usage.granted))}</span>
        <span data-kind="refused">{history.refused(number(usage.refused))}</span>
      </p>
      <div className={classes.plot}>
        {lines.map((line) => (
          <span
            key={line}
            className={classes.line}
            data-zero={line === 0 || undefined}
            style={{ bottom: `${(line / lines.at(-1)!) * 100}%` }}
            aria-hidden="true"
          >
            {compactNumber(line, language)}
          </span>
        ))}
        <Bars days={days} highest={lines.at(-1)!} />
        {isEmpty && <p className={classes.none}>{isUsed ? history.notLately(USAGE_KEPT_DAYS) : history.never}</p>}
        <input
          type="range"
          className={classes.cursor}
          min={0}
          max={last}
          value={index}
          onChange={(event) => choose(days[Number(event.currentTarget.value)]!.day)}
          onPointerMove={point}
          onPointerDown={point}
          aria-label={history.chart(USAGE_KEPT_DAYS)}
          aria-valuetext={shownText}
          aria-describedby={`${id}totals`}
        />
      </div>
      <div className={classes.dates} aria-hidden="true">
        {days.map(
          ({ day }, place) =>
            (last - place) % DATE_EVERY_DAYS === 0 && (
              <span
                key={day}
                style={{ insetInlineStart: `${((place + 0.5) / days.length) * 100}%` }}
                data-last={place === last || undefined}
              >
                {monthDay(day, language)}
              </span>
            ),
        )}
      </div>
      <p className={classes.readout}>{shownText}</p>
    </div>
  );
}

/** As high as the chart. */
export function ChartSkeleton() {
  const texts = useTexts();
  return (
    <div role="status" className={classes.chart}>
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <div className={classes.totals}>
        <Skeleton height="1lh" width="60%" />
      </div>
      <Skeleton className={classes.plot} />
      <div className={classes.dates} />
      <div className={classes.readout}>
        <Skeleton height="1lh" width="45%" />
      </div>
    </div>
  );
}

const STEP = 5;
const WIDTH = 4;
const HEIGHT = 120;
/** So that a single request stays visible next to a million. */
const SHORTEST = 3;

interface BarsProps {
  readonly days: readonly DayCount[];
  /** The number at the top of the drawing. */
  readonly highest: number;
}

/** A bar for each day: accepted requests are solid, rejected ones are striped on top of them. */
function Bars({ days, highest }: BarsProps) {
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
