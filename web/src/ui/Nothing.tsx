import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SearchIcon } from './icons';
import list from './list.module.css';

/** In the frame of a list: that it is empty, and a button that changes that. */
export const Nothing = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <Stack align="center" gap="sm" px="md" py="xl" ta="center" className={list.frame}>
    <SearchIcon />
    <Text size="sm" fw={500}>
      {title}
    </Text>
    {children}
  </Stack>
);
