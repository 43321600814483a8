import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import list from '../ui/list.module.css';
import classes from './activity.module.css';

/** Lines with the height of the real ones, so that the layout does not move. */
export function EventListSkeleton({ rows = 5 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status" className={list.frame}>
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.event}>
          <div className={classes.what}>
            <Skeleton height="1lh" width="46%" />
          </div>
          <div className={classes.who}>
            <Skeleton height="1lh" width="32%" />
          </div>
        </div>
      ))}
    </div>
  );
}
