import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTexts } from '../texts';
import classes from './FilterFold.module.css';

interface Props {
  /** How many filters leave something out. */
  readonly active: number;
  /** Until the person folds or unfolds them. */
  readonly isUnfolded?: boolean;
  readonly children: ReactNode;
}

/** On a narrow screen the filters are behind a button, so that the list comes first. */
export function FilterFold({ active, isUnfolded = false, children }: Props) {
  const { keys } = useTexts();
  const id = useId();
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isUnfolded;
  return (
    <div className={classes.fold}>
      <Button
        variant="default"
        className={classes.button}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setChosen(!isOpen)}
      >
        {keys.filters(active)}
      </Button>
      <div id={id} className={classes.filters} data-open={isOpen || undefined}>
        {children}
      </div>
    </div>
  );
}
