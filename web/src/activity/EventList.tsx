import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey, AuditEvent, Leak } from '../api/types';
import classes from './activity.module.css';
import { describeEvent, type EventGroup, shortUserAgent } from './events';
import { nameOf, useOwner, usePanel } from '../base/context';
import { useTexts } from '../texts';
import { dayName, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import { leakPlace } from '../key/leak';
import { NewTabLink, PlaceLink } from '../ui/links';
import list from '../ui/list.module.css';
import { RelativeTime } from '../ui/RelativeTime';
import surface from '../ui/surface.module.css';

interface Props {
  readonly label: string;
  readonly groups: readonly EventGroup[];
  readonly keyOf: (id: string) => ApiKey | undefined;
  /** Set if all events are of one key, which is named next to them. */
  readonly isOfOneKey?: boolean;
}

export function EventList({ label, groups, keyOf, isOfOneKey = false }: Props) {
  const { language } = useTexts();
  const now = useNow();
  const days = groups.map(({ event }) => dayName(event.at, now, language));
  return (
    <ul className={list.frame} aria-label={label}>
      {groups.map((group, n) => (
        <EventItem
          key={group.event.id}
          group={group}
          apiKey={group.event.keyId === null ? undefined : keyOf(group.event.keyId)}
          isOfOneKey={isOfOneKey}
          day={isOfOneKey || days[n] === days[n - 1] ? undefined : days[n]}
        />
      ))}
    </ul>
  );
}

/** The events of one key, which is named next to them. */
export function EventsOfKey({ groups, apiKey }: Pick<Props, 'groups'> & { readonly apiKey: ApiKey }) {
  const { details } = useTexts();
  if (groups.length > 0) return <EventList label={details.history} groups={groups} keyOf={() => apiKey} isOfOneKey />;
  return (
    <Text size="sm" c="dimmed">
      {details.noHistory}
    </Text>
  );
}

/** Two times that are closer than this read the same. */
const SAME_TIME_MS = 60_000;

interface EventItemProps {
  readonly group: EventGroup;
  /** The key of the event, if it is known. */
  readonly apiKey: ApiKey | undefined;
  readonly isOfOneKey: boolean;
  /** Set for the first one of a day. */
  readonly day: string | undefined;
}

function EventItem({ group: { event, since, count }, apiKey, isOfOneKey, day }: EventItemProps) {
  const { activity } = useTexts();
  const name = <bdi>{apiKey?.name ?? activity.unknownName}</bdi>;
  const word =
    apiKey && !isOfOneKey ? (
      <PlaceLink
        place={{ tab: 'keys', status: 'active', keyId: apiKey.id }}
        className={`${surface.link} ${classes.key}`}
      >
        {name}
      </PlaceLink>
    ) : (
      name
    );
  const took = Date.parse(event.at) - Date.parse(since);
  return (
    <li className={classes.event} data-type={event.type}>
      {day !== undefined && <h3 className={list.heading}>{day}</h3>}
      <div className={`${classes.what} ${classes.sentence}`}>
        <EventSentence event={event} name={word} />
        <Times count={count} />
      </div>
      <RelativeTime iso={event.at} isPast />
      {event.leak && <LeakSite leak={event.leak} />}
      {event.note && <div className={classes.what}>{event.note}</div>}
      <div className={classes.who}>
        {took >= SAME_TIME_MS && <RelativeTime iso={since} text={activity.since} isPast />}
        {!isOfOneKey && apiKey && <code>{apiKey.prefix}</code>}
        {event.clientIp && <code>{event.clientIp}</code>}
        {event.userAgent && <span title={event.userAgent}>{shortUserAgent(event.userAgent)}</span>}
        <ActorOf event={event} />
        {isByClock(event) && <span>{activity.automatic}</span>}
      </div>
    </li>
  );
}

/** A character that no text contains. */
const STAND_IN = '\uE000';

interface SentenceProps {
  readonly event: AuditEvent;
  /** The name of the key: a link, or a text with its own direction. A language may put it anywhere in the sentence. */
  readonly name: ReactNode;
}

export function EventSentence({ event, name }: SentenceProps) {
  const sentence = describeEvent(event, useTexts().activity);
  if (typeof sentence === 'string') return sentence;
  const [before, after] = sentence(STAND_IN).split(STAND_IN);
  return (
    <>
      {before}
      {name}
      {after}
    </>
  );
}

/**
 * Where a leaked key was found. A stranger may have written both texts, so `leakPlace` decides what is a link. It is shown
 * in full, and its site does not learn where the person came from.
 */
export function LeakSite({ leak }: { readonly leak: Leak }) {
  const { source, url } = leak;
  const { href } = leakPlace(leak);
  const { foundBy, foundAt } = useTexts().activity;
  return (
    <>
      {source && <div className={classes.what}>{foundBy(source)}</div>}
      {url && (
        <div className={classes.what}>
          {foundAt} {href ? <NewTabLink href={href}>{url}</NewTabLink> : url}
        </div>
      )}
    </>
  );
}

/** How often it happened, if more than once. */
export function Times({ count }: { readonly count: number }) {
  const { activity, language } = useTexts();
  return (
    count > 1 && (
      <>
        {' '}
        <span className={list.badge}>{activity.times(wholeNumber(count, language))}</span>
      </>
    )
  );
}

/** Who did it, where it may have been somebody else: a manager of a service account. */
function ActorOf({ event: { actor } }: { readonly event: AuditEvent }) {
  const { activity } = useTexts();
  const { account } = usePanel();
  const ownerId = useOwner().data?.ownerId;
  if (!actor || (actor.id === ownerId && !account)) return null;
  return actor.id === ownerId ? <span>{activity.you}</span> : <bdi>{nameOf(actor)}</bdi>;
}

/** The end of a key that no person requested at that moment. */
function isByClock({ type, reason }: AuditEvent): boolean {
  return type === 'api_key.expired' || (type === 'api_key.revoked' && (reason === 'rotated' || reason === 'idle'));
}
