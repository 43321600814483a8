import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './Section.module.css';

interface Props {
  readonly title: string;
  /** At the other end of the title's line. */
  readonly aside?: string;
  readonly children: ReactNode;
}

/** A part of the details, named by its heading. */
export function Section({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.section}>
      <Group justify="space-between" align="baseline">
        <Title order={3} size="h5" id={id}>
          {title}
        </Title>
        <Text size="xs" c="dimmed">
          {aside}
        </Text>
      </Group>
      {children}
    </section>
  );
}
