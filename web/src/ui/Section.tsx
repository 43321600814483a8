import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './Section.module.css';

/** A part of the details, named by its heading. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.section}>
      <Title order={3} size="h5" id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}
