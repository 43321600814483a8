import { Badge } from '@mantine/core';
import { nameOf } from '../base/owner';
import { describeEvent } from '../activity/events';
import { LeakSite } from '../activity/LeakSite';
import { shortUserAgent } from '../activity/user-agent';
import type { Person } from '../api/types';
import type { AuditedEvent } from './types';
import list from '../keys/KeyList.module.css';
import { useAdminTexts, useTexts } from '../texts';
import { wholeNumber } from '../time/format';
import { Emphasised } from '../ui/Emphasised';
import { onPlainClick, useRowLink } from '../ui/links';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';

interface Links {
  /** The address of a key's drawer. */
  readonly hrefOf: (keyId: string) => string;
  readonly onOpen: (keyId: string) => void;
}

/** Looks like the list of all keys. A row leads to the key of its event. */
export function AuditTable({ events, ...links }: Links & { readonly events: readonly AuditedEvent[] }) {
  const { audit } = useAdminTexts();
  return (
    <div role="table" className={list.table} aria-label={audit.table}>
      <div role="rowgroup" className={list.header}>
        <div role="row" className={`${list.columns} ${classes.audited}`}>
          {[audit.what, audit.by, audit.account, audit.when].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={list.rows}>
        {events.map((event) => (
          <Row key={event.id} event={event} {...links} />
        ))}
      </div>
    </div>
  );
}

function Row({ event, hrefOf, onOpen }: Links & { readonly event: AuditedEvent }) {
  const { audit } = useAdminTexts();
  const { link, openFromHint } = useRowLink();
  const { keyId, keyName, actor, actorId, account, clientIp, userAgent } = event;
  const open = onPlainClick(() => onOpen(keyId!));
  const isOpenable = keyId !== null && keyName !== null;
  return (
    <div role="row" className={`${list.row} ${classes.audited}`} onClick={isOpenable ? openFromHint : undefined}>
      <div role="rowheader" className={list.name}>
        {isOpenable ? (
          <a href={hrefOf(keyId)} className={list.link} ref={link} onClick={open}>
            <Sentence event={event} />
          </a>
        ) : (
          <Sentence event={event} />
        )}
        <Particulars event={event} />
      </div>
      <div role="cell" data-label={audit.by} className={classes.owner}>
        <Who person={actor ?? (actorId === null ? null : { id: actorId, displayName: '' })} />
        {clientIp && <span className={list.second}>{clientIp}</span>}
        {userAgent && (
          <span className={list.second} title={userAgent}>
            {shortUserAgent(userAgent)}
          </span>
        )}
      </div>
      <div role="cell" data-label={audit.account} className={classes.owner}>
        <Who person={account} />
      </div>
      <div role="cell" data-label={audit.when}>
        <RelativeTime iso={event.at} isPast />
      </div>
    </div>
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
  if (!person) return <span className={list.dimmed}>–</span>;
  return (
    <>
      <bdi>{nameOf(person)}</bdi>
      {person.displayName !== '' && <span className={list.second}>{person.id}</span>}
    </>
  );
}
