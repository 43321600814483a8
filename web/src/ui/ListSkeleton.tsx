import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import list from './list.module.css';

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
