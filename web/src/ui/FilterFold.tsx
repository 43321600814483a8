import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts';
import classes from './FilterFold.module.css';

/** On a narrow screen the filters are behind a button, which counts those that leave something out. */
export function FilterFold({ active, children }: { readonly active: number; readonly children: ReactNode }) {
  const { keys } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.fold} data-open={isOpen || undefined}>
      <Button variant="default" fullWidth aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {keys.filters(active)}
      </Button>
      {children}
    </div>
  );
}
