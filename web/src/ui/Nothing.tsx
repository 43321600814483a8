import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SearchIcon } from './icons';
import classes from './Nothing.module.css';

/** In the frame of a list: that it is empty, and a button that changes that. */
export function Nothing({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={classes.nothing}>
      <SearchIcon />
      <Text size="sm" fw={500}>
        {title}
      </Text>
      {children}
    </div>
  );
}
