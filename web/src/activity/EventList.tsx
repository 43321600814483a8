import type { ApiKey, AuditEvent } from '../api/types';
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
