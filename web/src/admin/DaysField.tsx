import { Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { shortDate } from '../time/format';
import classes from './admin.module.css';
import type { Days } from './days';

interface Labels {
  readonly all: string;
  readonly from: string;
  readonly until: string;
}

interface Props {
  readonly labels: Labels;
  readonly days: Days;
  readonly onChoose: (days: Days) => void;
}

/** Each digit of a year makes another day, and each search is recorded. */
const PAUSE_MS = 1000;
const isWhole = (day: string | undefined) => day === undefined || day >= '1000';

/** Applied with Enter or after a pause. */
export function DaysField({ labels, days, onChoose }: Props) {
  const [typed, setTyped] = useState({ shown: days, ...days });
  // Other days were chosen, for example with "Back".
  if (typed.shown.from !== days.from || typed.shown.until !== days.until) setTyped({ shown: days, ...days });
  const { from, until } = typed;
  const isChanged = (from !== days.from || until !== days.until) && isWhole(from) && isWhole(until);
  const apply = () => {
    if (isChanged) onChoose({ from, until });
  };
  const applySoon = useDebouncedCallback(apply, PAUSE_MS);
  return (
    <Stack gap="sm" className={classes.days} role="group" aria-label={labels.all}>
      {(['from', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={labels[name]}
          value={typed[name] ?? ''}
          classNames={{ input: typed[name] === undefined ? classes.noDay : '' }}
          onChange={({ currentTarget: { value } }) => {
            setTyped({ ...typed, [name]: value || undefined });
            applySoon();
          }}
          onKeyDown={({ key }) => key === 'Enter' && apply()}
        />
      ))}
    </Stack>
  );
}

/** "From Nov 1 · Until Nov 30". */
export function daysText(days: Days, labels: Labels, now: number, language: string): string {
  const of = (name: 'from' | 'until') =>
    days[name] && `${labels[name]} ${shortDate(`${days[name]}T00:00`, now, language)}`;
  return [of('from'), of('until')].filter(Boolean).join(' · ');
}
