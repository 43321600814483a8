import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import classes from './admin.module.css';
import type { Days } from './days';
import { useAdminTexts } from './texts';

interface Props {
  readonly labels: { readonly all: string; readonly from: string; readonly until: string };
  readonly days: Days;
  readonly onChoose: (days: Days) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** Applied with Enter or the button: a day that somebody types is another one with each digit of its year. */
export function DaysField({ labels, days, onChoose, children }: Props) {
  const admin = useAdminTexts();
  const shown = { from: days.from ?? '', until: days.until ?? '' };
  const [typed, setTyped] = useState({ shown, ...shown });
  // "Back" may lead to other days.
  if (typed.shown.from !== shown.from || typed.shown.until !== shown.until) setTyped({ shown, ...shown });
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const { from, until } = typed;
    if (from !== shown.from || until !== shown.until) onChoose({ from: from || undefined, until: until || undefined });
  };
  return (
    <form className={classes.days} aria-label={labels.all} onSubmit={apply}>
      {(['from', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={labels[name]}
          value={typed[name]}
          classNames={{ input: typed[name] === '' ? classes.noDay : '' }}
          onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
        />
      ))}
      <Button type="submit" variant="default">
        {admin.apply}
      </Button>
      {children}
    </form>
  );
}
