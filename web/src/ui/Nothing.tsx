import { Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { SearchIcon } from './icons';
import list from './list.module.css';
import { useTexts } from '../texts';

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

/** Lines with the height of real ones, in the frame of a list. */
export function ListSkeleton({ rows = 3 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status" className={list.frame}>
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={list.loading}>
          <Skeleton height={14} width="46%" />
          <Skeleton height={12} width="32%" />
        </div>
      ))}
    </div>
  );
}
