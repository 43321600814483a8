import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { SearchIcon } from './icons';
import list from './list.module.css';

interface Props {
  /** Of what is empty from the beginning. */
  readonly heading?: string;
  readonly title: string;
  readonly icon?: ReactNode;
  readonly children?: ReactNode;
}

/** In the frame of a list: that it is empty, and a button that changes that. */
export const Nothing = ({ heading, title, icon = <SearchIcon />, children }: Props) => (
  <Stack align="center" gap="md" px="md" py={48} ta="center" className={list.frame}>
    <span className={list.mark}>{icon}</span>
    {heading && (
      <Title order={3} size="h4" mb={-12}>
        {heading}
      </Title>
    )}
    <Text maw="28rem">{title}</Text>
    {children}
  </Stack>
);
