import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';

/** Empty rows with the height of the real ones, so that the layout does not move. */
export function KeyListSkeleton({ rows = 3 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row}>
          <Skeleton height={14} width="38%" />
          <Skeleton height={12} width="22%" mt="xs" />
        </div>
      ))}
    </div>
  );
}
