import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './KeyList.module.css';
import { TableHeader } from './KeyTable';

/** The header and empty rows of the height of the real ones, so that nothing moves. */
export function KeyTableSkeleton({ rows = 3 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <div className={classes.table} aria-hidden="true">
        <TableHeader />
        <div className={classes.rows}>
          {Array.from({ length: rows }, (_, row) => (
            <div key={row} className={classes.row}>
              <div className={classes.name}>
                <Skeleton height={14} width="45%" my={4} />
                <Skeleton height={12} width="60%" my={3} />
              </div>
              {[70, 90, 65, 75].map((width) => (
                <div key={width}>
                  <Skeleton height={12} width={`${width}%`} />
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
