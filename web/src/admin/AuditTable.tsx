import type { ReactNode, Ref } from 'react';
import { Table } from '../keys/Table';
import type { OwnLink } from '../ui/links';
import { nameOf } from '../base/context';
import { EventSentence, LeakSite, Times } from '../activity/EventList';
import { shortUserAgent } from '../activity/events';
import type { Person } from '../api/types';
import type { AuditedEvent } from './types';
import list from '../keys/KeyList.module.css';
import { useTexts } from '../texts';
import { dayName } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';
import { viewedWords } from './viewed';

interface Props {
  readonly events: readonly AuditedEvent[];
  /** To the drawer of the key of an event. */
  readonly linkTo: (keyId: string) => OwnLink;
}

/** Each row leads to the key of its event. */
export function AuditTable({ events, linkTo }: Props) {
  const { audit } = useAdminTexts();
  const { language } = useTexts();
  const now = useNow();
  return (
    <Table
      label={audit.table}
      rows={events}
      idOf={({ id }) => id}
      headingOf={({ at }) => dayName(at, now, language)}
      columns={[
        {
          name: audit.what,
          width: 'minmax(0, 8fr)',
          cell: (event, { link }) => (
            <>
              <Sentence event={event} linkTo={linkTo} link={link} />
              <Particulars event={event} />
            </>
          ),
        },
        { name: audit.by, width: 'minmax(0, 7fr)', className: classes.owner, cell: (event) => <Actor event={event} /> },
        {
          name: audit.account,
          width: 'minmax(0, 4fr)',
          className: classes.owner,
          cell: ({ account }) => <Who person={account} />,
        },
        { name: audit.when, width: '7.5rem', cell: ({ at }) => <RelativeTime iso={at} isPast /> },
      ]}
    />
  );
}

function Actor({ event: { actor, actorId, clientIp, userAgent } }: { readonly event: AuditedEvent }) {
  return (
    <Who person={actor ?? (actorId === null ? null : { id: actorId, displayName: '' })}>
      {clientIp && <span>{clientIp}</span>}
      {userAgent && <span title={userAgent}>{shortUserAgent(userAgent)}</span>}
    </Who>
  );
}

interface SentenceProps extends Pick<Props, 'linkTo'> {
  readonly event: AuditedEvent;
  readonly link: Ref<HTMLAnchorElement>;
}

/** The name of a key is the link of the row. */
function Sentence({ event, linkTo, link }: SentenceProps) {
  const { activity } = useTexts();
  const { keyId, keyName } = event;
  const name = <bdi>{keyName ?? activity.unknownName}</bdi>;
  const word =
    keyId === null || keyName === null ? (
      name
    ) : (
      <a {...linkTo(keyId)} className={list.link} ref={link}>
        {name}
      </a>
    );
  return <EventSentence event={event} name={word} />;
}

/** How often, where a key leaked, what was noted, and what was searched for. */
function Particulars({ event: { count, leak, note, viewed } }: { readonly event: AuditedEvent }) {
  const texts = useTexts();
  const searched = viewedWords(viewed ?? {}, texts, useAdminTexts()).join(' · ');
  return (
    <>
      <Times count={count} />
      {leak && <LeakSite leak={leak} />}
      {note && (
        <div className={classes.owner}>
          {texts.details.note}: <bdi>{note}</bdi>
        </div>
      )}
      {searched && <span className={list.second}>{searched}</span>}
    </>
  );
}

/** The id too, because names are not unique. */
function Who({ person, children }: { readonly person: Person | null; readonly children?: ReactNode }) {
  return (
    <>
      {person ? <bdi>{nameOf(person)}</bdi> : '–'}
      <span className={`${list.second} ${list.cut}`} title={person?.id}>
        {person && person.displayName !== '' && <span>{person.id}</span>}
        {children}
      </span>
    </>
  );
}
