import { Badge } from '@mantine/core';
import { Table } from '../keys/Table';
import type { OwnLink } from '../ui/links';
import { nameOf } from '../base/owner';
import { describeEvent } from '../activity/events';
import { LeakSite } from '../activity/LeakSite';
import { shortUserAgent } from '../activity/user-agent';
import type { Person } from '../api/types';
import type { AuditedEvent } from './types';
import list from '../keys/KeyList.module.css';
import { useTexts } from '../texts';
import { wholeNumber } from '../time/format';
import { Emphasised } from '../ui/Emphasised';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';

interface Props {
  readonly events: readonly AuditedEvent[];
  /** To the drawer of the key of an event. */
  readonly linkTo: (keyId: string) => OwnLink;
}

/** Each row leads to the key of its event. */
export function AuditTable({ events, linkTo }: Props) {
  const { audit } = useAdminTexts();
  return (
    <Table
      label={audit.table}
      widths={classes.audited}
      rows={events}
      idOf={({ id }) => id}
      columns={[
        {
          name: audit.what,
          cell: (event, { link }) => (
            <>
              {event.keyId !== null && event.keyName !== null ? (
                <a {...linkTo(event.keyId)} className={list.link} ref={link}>
                  <Sentence event={event} />
                </a>
              ) : (
                <Sentence event={event} />
              )}
              <Particulars event={event} />
            </>
          ),
        },
        { name: audit.by, className: classes.owner, cell: (event) => <Actor event={event} /> },
        { name: audit.account, className: classes.owner, cell: ({ account }) => <Who person={account} /> },
        { name: audit.when, cell: ({ at }) => <RelativeTime iso={at} isPast /> },
      ]}
    />
  );
}

function Actor({ event: { actor, actorId, clientIp, userAgent } }: { readonly event: AuditedEvent }) {
  return (
    <>
      <Who person={actor ?? (actorId === null ? null : { id: actorId, displayName: '' })} />
      {clientIp && <span className={list.second}>{clientIp}</span>}
      {userAgent && (
        <span className={list.second} title={userAgent}>
          {shortUserAgent(userAgent)}
        </span>
      )}
    </>
  );
}

function Sentence({ event }: { readonly event: AuditedEvent }) {
  const { activity } = useTexts();
  const sentence = describeEvent(event, activity);
  if (typeof sentence === 'string') return sentence;
  return <Emphasised sentence={sentence} word={event.keyName ?? activity.unknownName} />;
}

/** How often, where a key leaked, what was noted, and what was searched for. */
function Particulars({ event: { count, leak, note, viewed } }: { readonly event: AuditedEvent }) {
  const { activity, details, language } = useTexts();
  const searched = Object.entries(viewed ?? {}).map(([name, value]) => `${name}=${value ?? '?'}`);
  return (
    <>
      {count > 1 && (
        <Badge size="sm" radius="sm" variant="default" tt="none" ms="xs">
          {activity.times(wholeNumber(count, language))}
        </Badge>
      )}
      {leak && <LeakSite leak={leak} />}
      {note && (
        <div className={classes.owner}>
          {details.note}: <bdi>{note}</bdi>
        </div>
      )}
      {searched.length > 0 && <code className={`${list.prefix} ${classes.owner}`}>{searched.join(' ')}</code>}
    </>
  );
}

/** The id too, because names are not unique. */
function Who({ person }: { readonly person: Person | null }) {
  if (!person) return '–';
  return (
    <>
      <bdi>{nameOf(person)}</bdi>
      {person.displayName !== '' && <span className={list.second}>{person.id}</span>}
    </>
  );
}
