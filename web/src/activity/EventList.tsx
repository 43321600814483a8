import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { ApiKey, AuditEvent } from '../api/types';
import { useTexts } from '../texts';
import classes from './activity.module.css';
import { EventItem } from './EventItem';
import type { EventGroup } from './group-events';

interface Props {
  readonly label: string;
  readonly groups: readonly EventGroup<AuditEvent>[];
  readonly keyOf: (id: string) => ApiKey | undefined;
  /** Set if all events are of one key, which is named next to them. */
  readonly isOfOneKey?: boolean;
}

export function EventList({ label, groups, keyOf, isOfOneKey = false }: Props) {
  return (
    <ul className={classes.events} aria-label={label}>
      {groups.map((group) => (
        <EventItem
          key={group.event.id}
          group={group}
          apiKey={group.event.keyId === null ? undefined : keyOf(group.event.keyId)}
          showsPrefix={!isOfOneKey}
        />
      ))}
    </ul>
  );
}

/** Lines with the height of the real ones, so that the layout does not move. */
export function EventListSkeleton({ rows = 5 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status" className={classes.events}>
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.event} data-type="none">
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
