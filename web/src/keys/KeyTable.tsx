import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';
import { ExpiryCell } from './ExpiryCell';
import classes from './KeyList.module.css';
import { Sparkline } from './Sparkline';
import { KEYS, showCurrent } from '../key/list';
import { usePanel } from '../base/context';
import { duration, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import { endOf, pauseOf, type Rotation } from '../key/status';
import { usePlaceLinks } from '../ui/links';
import { Access, KeyName, Table } from './Table';
import { KeyMenu } from './KeyMenu';
import { type KeyLinks, type KeyRow as Row, usedLast } from './key-rows';

interface Props extends Pick<ComponentProps<typeof Table<Row>>, 'rows' | 'sort' | 'onSort'> {
  readonly areEnded?: boolean;
  readonly links: KeyLinks;
}

/** A person's own keys. */
export function KeyTable({ areEnded = false, links, ...table }: Props) {
  const texts = useTexts();
  const linkTo = usePlaceLinks();
  const now = useNow();
  const { column, endedLabel, tableLabel } = texts.keys;
  return (
    <Table
      label={areEnded ? endedLabel : tableLabel}
      {...table}
      idOf={({ key }) => key.id}
      isEnded={({ status }) => status !== 'active'}
      below={({ rotation }) => rotation && <RotationProgress rotation={rotation} />}
      columns={[
        {
          name: column.name,
          width: 'minmax(0, 2fr)',
          sort: 'name',
          cell: ({ key, status }, parts) => (
            <KeyName
              apiKey={key}
              to={linkTo(links.placeOf(key.id))}
              aside={key.note}
              pause={status === 'active' && pauseOf(key, now)}
              {...parts}
            />
          ),
        },
        {
          name: column.access,
          width: 'minmax(7.25rem, 1fr)',
          cell: ({ key }) => <Access apiKey={key} />,
        },
        {
          name: column.recent,
          width: '8.75rem',
          sort: 'requests',
          cell: ({ recent }) => <Sparkline recent={recent} />,
        },
        { name: column.lastUsed, width: '7.75rem', sort: 'lastUsed', cell: (row) => <LastUsed row={row} /> },
        {
          name: areEnded ? column.ended : column.expires,
          width: '11rem',
          sort: 'expires',
          nameFor: ({ status }) => (status === 'active' ? column.expires : column.ended),
          cell: (row) => <ExpiryCell row={row} />,
        },
        {
          name: column.actions,
          width: '2.25rem',
          isForButtons: true,
          cell: (row, { prefixId }) => <KeyMenu row={row} links={links} describedBy={prefixId} />,
        },
      ]}
    />
  );
}

/** Of a rotation: the last use of either key. */
function LastUsed({ row }: { readonly row: Row }) {
  const texts = useTexts();
  const { usedLast: which } = texts.keys;
  const last = usedLast(row);
  if (!last?.lastUsedAt) return texts.keys.neverUsed;
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
