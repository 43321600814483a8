import type { ApiKey, AuditEvent } from '../api/types';
import classes from './activity.module.css';
import { EventItem } from './EventItem';

interface Props {
  readonly label: string;
  readonly events: readonly AuditEvent[];
  readonly keyOf: (id: string) => ApiKey | undefined;
  /** Set if all events are of one key, which is named next to them. */
  readonly isOfOneKey?: boolean;
}

export function EventList({ label, events, keyOf, isOfOneKey = false }: Props) {
  return (
    <ul className={classes.events} aria-label={label}>
      {events.map((event) => (
        <EventItem
          key={event.id}
          event={event}
          apiKey={event.keyId === null ? undefined : keyOf(event.keyId)}
          showsPrefix={!isOfOneKey}
        />
      ))}
    </ul>
  );
}
