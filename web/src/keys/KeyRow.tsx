import { useId } from 'react';
import { PlaceLink } from '../ui/PlaceLink';
import { fewWords } from '../restrictions/words';
import { RotationProgress } from '../rotate/RotationProgress';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';
import { useRowLink } from '../ui/useRowLink';
import { ExpiryCell } from './ExpiryCell';
import { usedLast, type KeyLinks, type KeyRow as Row } from './key-rows';
import classes from './KeyList.module.css';
import { KeyMenu } from './KeyMenu';
import { Sparkline } from './Sparkline';

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
