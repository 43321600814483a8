import { useId } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { PlaceLink, useRowLink } from '../ui/links';
import { fewWords } from '../key/limits';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';
import { ExpiryCell } from './ExpiryCell';
import { type KeyLinks, type KeyRow as Row, usedLast } from './key-rows';
import classes from './KeyList.module.css';
import { KeyMenu } from './KeyMenu';
import { Sparkline } from './Sparkline';
import { KEYS, showCurrent } from '../key/list';
import { usePanel } from '../base/context';
import { duration, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import { endOf } from '../key/status';
import type { Rotation } from '../key/rotation';

interface Props {
  readonly row: Row;
  readonly links: KeyLinks;
}

/** The link of the name covers the whole row. */
export function KeyRow({ row, links }: Props) {
  const texts = useTexts();
  const id = useId();
  const { column, access } = texts.keys;
  const { key, rotation, status } = row;
  const { link, openFromHint } = useRowLink();
  return (
    <div role="row" className={classes.row} data-ended={status !== 'active' || undefined} onClick={openFromHint}>
      <div role="rowheader" className={classes.name}>
        <PlaceLink
          place={links.placeOf(key.id)}
          className={classes.link}
          aria-describedby={`${id}prefix`}
          ref={link}
          data-key-id={key.id}
        >
          {key.name}
        </PlaceLink>
        {key.note !== null && <span className={classes.note}>{key.note}</span>}
        <code id={`${id}prefix`} className={classes.prefix}>
          {key.prefix}
        </code>
      </div>
      <div role="cell" data-label={column.access}>
        {access[key.access]}
        {fewWords(key, texts).map((words) => (
          <span key={words} className={classes.limit}>
            {words}
          </span>
        ))}
      </div>
      <div role="cell" data-label={column.recent}>
        <Sparkline recent={row.recent} />
      </div>
      <div role="cell" data-label={column.lastUsed}>
        <LastUsed row={row} />
      </div>
      <div role="cell" data-label={status === 'active' ? column.expires : column.ended}>
        <ExpiryCell row={row} />
      </div>
      <div role="cell" className={classes.actions}>
        <KeyMenu row={row} links={links} describedBy={`${id}prefix`} />
      </div>
      {rotation && (
        <div role="cell" className={classes.progress}>
          <RotationProgress rotation={rotation} />
        </div>
      )}
    </div>
  );
}

/** Of a rotation: the last use of either key. */
function LastUsed({ row }: { readonly row: Row }) {
  const texts = useTexts();
  const { usedLast: which } = texts.keys;
  const last = usedLast(row);
  if (!last?.lastUsedAt) return <span className={classes.dimmed}>{texts.never}</span>;
  return (
    <span>
      <RelativeTime iso={last.lastUsedAt} isPast />
      {row.rotation && <span className={classes.second}>{last.id === row.key.id ? which.next : which.old}</span>}
    </span>
  );
}

const POLL_MS = 5000;

/** How far a rotation is, and until when the old key works. */
function RotationProgress({ rotation }: { readonly rotation: Rotation }) {
  const { old, next } = rotation;
  useFirstUse(rotation);
  const texts = useTexts();
  const now = useNow();
  const { progress } = texts.keys;
  const isInUse = next.lastUsedAt !== null;
  const { prefix } = old;
  const untilUsed = next.graceSeconds
    ? progress.untilAfter(prefix, duration(next.graceSeconds, texts.language))
    : progress.untilThen(prefix);
  return (
    <span className={classes.rotation} data-in-use={isInUse || undefined}>
      <strong>{isInUse ? progress.inUse : progress.waiting}</strong>
      {' · '}
      {isInUse ? progress.ends(prefix, relativeTime(endOf(old), now, texts)) : untilUsed}
    </span>
  );
}

/**
 * Reads the new key of a rotation until it is used or has ended, and then the old one, which gets its end by that. While
 * the tab is hidden it reads nothing.
 */
function useFirstUse({ old, next }: Rotation): void {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  useQuery({
    queryKey: [...KEYS, 'first-use', next.id],
    queryFn: async () => {
      const current = await client.getKey(next.id);
      const isWaiting = current.lastUsedAt === null && current.status === 'active';
      if (!isWaiting) showCurrent(queryClient, [current, await client.getKey(old.id)]);
      return isWaiting;
    },
    enabled: next.lastUsedAt === null,
    // The list has just been read.
    initialData: true,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  });
}
