import { Badge } from '@mantine/core';
import { useId } from 'react';
import type { KeyOwner, OwnedKey } from './types';
import { endsSoon } from '../key/expiry';
import list from '../keys/KeyList.module.css';
import { endOf, statusAt } from '../key/status';
import { StatusBadge } from '../key/StatusBadge';
import { useAdminTexts, useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { shortDate } from '../time/format';
import { onPlainClick, useRowLink } from '../ui/links';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { nameOf } from './texts';

interface Links {
  /** The address of a key's drawer. */
  readonly hrefOf: (keyId: string) => string;
  readonly onOpen: (keyId: string) => void;
}

/** Looks like a person's own list (keys/KeyTable). */
export function AllKeysTable({ keys, ...links }: Links & { readonly keys: readonly OwnedKey[] }) {
  const { column } = useTexts().keys;
  const admin = useAdminTexts();
  const names = [column.name, admin.owner, column.access, column.status, column.lastUsed, column.expires];
  return (
    <div role="table" className={list.table} aria-label={admin.table}>
      <div role="rowgroup" className={list.header}>
        <div role="row" className={`${list.columns} ${classes.columns}`}>
          {names.map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={list.rows}>
        {keys.map((apiKey) => (
          <Row key={apiKey.id} apiKey={apiKey} {...links} />
        ))}
      </div>
    </div>
  );
}

function Row({ apiKey, hrefOf, onOpen }: Links & { readonly apiKey: OwnedKey }) {
  const texts = useTexts();
  const admin = useAdminTexts();
  const now = useNow();
  const id = useId();
  const { link, openFromHint } = useRowLink();
  const { column, access } = texts.keys;
  const status = statusAt(apiKey, now);
  const open = onPlainClick(() => onOpen(apiKey.id));
  const idleEnd = status === 'active' && apiKey.idleEndsAt;
  const end = idleEnd ? (
    texts.keys.idleEnds(shortDate(idleEnd, now, texts.language))
  ) : (
    <RelativeTime
      iso={status === 'revoked' ? (apiKey.revokedAt ?? endOf(apiKey)) : endOf(apiKey)}
      isPast={status !== 'active'}
    />
  );
  return (
    <div
      role="row"
      className={`${list.row} ${classes.columns}`}
      data-ended={status !== 'active' || undefined}
      onClick={openFromHint}
    >
      <div role="rowheader" className={list.name}>
        <a href={hrefOf(apiKey.id)} className={list.link} aria-describedby={`${id}prefix`} ref={link} onClick={open}>
          {apiKey.name}
        </a>
        <code id={`${id}prefix`} className={list.prefix}>
          {apiKey.prefix}
        </code>
      </div>
      <div role="cell" data-label={admin.owner} className={classes.owner}>
        <Owner owner={apiKey.owner} />
      </div>
      <div role="cell" data-label={column.access}>
        {access[apiKey.access]}
      </div>
      <div role="cell" data-label={column.status}>
        <StatusBadge status={status} />
      </div>
      <div role="cell" data-label={column.lastUsed}>
        {apiKey.lastUsedAt ? (
          <RelativeTime iso={apiKey.lastUsedAt} isPast />
        ) : (
          <span className={list.dimmed}>{texts.never}</span>
        )}
      </div>
      <div role="cell" data-label={status === 'active' ? column.expires : column.ended}>
        {idleEnd || endsSoon(apiKey, now) ? <span className={list.soon}>{end}</span> : end}
      </div>
    </div>
  );
}

function Owner({ owner }: { readonly owner: KeyOwner }) {
  return (
    <>
      <bdi>{nameOf(owner)}</bdi>
      {owner.email !== '' && owner.email !== nameOf(owner) && <span className={list.second}>{owner.email}</span>}
      <div>
        <OwnerMarks owner={owner} />
      </div>
    </>
  );
}

/** What is unusual about an account: that it is no person's, or not active. */
export function OwnerMarks({ owner: { kind, status } }: { readonly owner: KeyOwner }) {
  const admin = useAdminTexts();
  const marks = [
    ...(kind === 'service' ? [admin.service] : []),
    ...(status === 'active' ? [] : [admin.accountStatus[status]]),
  ];
  return marks.map((mark) => (
    <Badge key={mark} size="sm" radius="sm" variant="default" tt="none" className={classes.mark}>
      {mark}
    </Badge>
  ));
}
