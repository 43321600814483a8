import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type CSSProperties, Fragment, useId, type ReactNode, type Ref } from 'react';
import type { ApiKey } from '../api/types';
import { capital, fewWords } from '../key/limits';
import { useTexts } from '../texts';
import { PausedUntil } from '../key/StatusBadge';
import { useRowLink, type OwnLink } from '../ui/links';
import { icon } from '../ui/icons';
import classes from './KeyList.module.css';
import type { Sort } from './key-rows';
import list from '../ui/list.module.css';

/** What a cell needs to know of its row: the id of the key's prefix, and the link that covers it. */
interface RowParts {
  readonly prefixId: string;
  readonly link: Ref<HTMLAnchorElement>;
}

export interface Column<Row> {
  readonly name: string;
  /** The same in header, rows and all tables of a kind, so that no content moves a column. */
  readonly width: string;
  /** In place of the name at the head. */
  readonly head?: ReactNode;
  /** What the rows can be sorted by there. */
  readonly sort?: Sort | undefined;
  /** Whether the name is only read out: the cells have buttons. */
  readonly isForButtons?: boolean;
  /** The name on a narrow screen, where it depends on the row. */
  readonly nameFor?: (row: Row) => string;
  readonly className?: string | undefined;
  readonly cell: (row: Row, parts: RowParts) => ReactNode;
}

interface Props<Row> {
  readonly label: string;
  /** The first one without buttons names the row. */
  readonly columns: readonly Column<Row>[];
  /** A class of the rows. */
  readonly look?: string | undefined;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly isEnded?: (row: Row) => boolean;
  readonly isSelected?: (row: Row) => boolean;
  /** The rows have headings: where it differs from that of the row before, as it does between days. */
  readonly headingOf?: (row: Row) => string;
  /** A last cell as wide as the row. */
  readonly below?: (row: Row) => ReactNode;
  readonly sort?: Sort | undefined;
  /** Set if the rows can be sorted: in one direction each, or newest first. */
  readonly onSort?: ((sort: Sort | undefined) => void) | undefined;
}

/** The roles are explicit, because `display` removes those of a table. On a narrow screen the rows are cards. */
export function Table<Row>({ label, rows, headingOf, ...row }: Props<Row>) {
  const headings = rows.map((each) => headingOf?.(each));
  const widths = { '--latchkey-columns': row.columns.map(({ width }) => width).join(' ') } as CSSProperties;
  return (
    <div role="table" className={`${list.frame} ${classes.table}`} style={widths} aria-label={label}>
      <div role="rowgroup" className={classes.header}>
        <div role="row" className={`${classes.columns} ${row.look ?? ''}`}>
          {row.columns.map((column) => (
            <Head key={column.name} column={column} {...row} />
          ))}
        </div>
      </div>
      <div role="rowgroup" className={classes.rows}>
        {rows.map((each, n) => (
          <Fragment key={row.idOf(each)}>
            {headings[n] !== undefined && headings[n] !== headings[n - 1] && (
              <div role="row">
                <div role="cell" className={list.heading}>
                  {headings[n]}
                </div>
              </div>
            )}
            <TableRow row={each} {...row} />
          </Fragment>
        ))}
      </div>
    </div>
  );
}

type HeadProps<Row> = Pick<Props<Row>, 'sort' | 'onSort'> & { readonly column: Column<Row> };

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { name, head, sort: by, isForButtons } = column;
  const isSorted = by !== undefined && sort === by;
  const direction = by === 'name' || by === 'expires' ? 'ascending' : 'descending';
  return (
    <span role="columnheader" aria-sort={by && onSort && (isSorted ? direction : 'none')}>
      {head || (isForButtons && <VisuallyHidden>{name}</VisuallyHidden>)}
      {!isForButtons && by && onSort && (
        <UnstyledButton className={classes.sort} onClick={() => onSort(isSorted ? undefined : by)}>
          {name}
          <SortIcon />
        </UnstyledButton>
      )}
      {!isForButtons && !(by && onSort) && name}
    </span>
  );
}

const SortIcon = icon(
  <>
    <path d="m8 10 4-4 4 4" />
    <path d="m8 14 4 4 4-4" />
  </>,
);

type RowProps<Row> = Omit<Props<Row>, 'label' | 'rows' | 'headingOf' | 'sort' | 'onSort'> & { readonly row: Row };

function TableRow<Row>({ row, columns, look = '', isEnded, isSelected, below }: RowProps<Row>) {
  const { link, openFromHint } = useRowLink();
  const parts = { prefixId: useId(), link };
  const last = below?.(row);
  const head = columns.find(({ isForButtons }) => !isForButtons);
  return (
    <div
      role="row"
      className={`${classes.row} ${look}`}
      data-ended={isEnded?.(row) || undefined}
      data-selected={isSelected?.(row) || undefined}
      onClick={openFromHint}
    >
      {columns.map((column) =>
        column === head ? (
          <div key={head.name} role="rowheader" className={classes.name}>
            {head.cell(row, parts)}
          </div>
        ) : (
          <div
            key={column.name}
            role="cell"
            data-label={column.isForButtons ? undefined : (column.nameFor?.(row) ?? column.name)}
            className={column.className ?? (column.isForButtons ? classes.actions : undefined)}
          >
            {column.cell(row, parts)}
          </div>
        ),
      )}
      {last && (
        <div role="cell" className={classes.progress}>
          {last}
        </div>
      )}
    </div>
  );
}

/** What a key may do, and below it in a few words what it is limited to. */
export function Access({ apiKey }: { readonly apiKey: ApiKey }) {
  const texts = useTexts();
  return (
    <>
      {texts.keys.access[apiKey.access]}
      {fewWords(apiKey, texts).map((words) => (
        <Text key={words} size="xs" truncate title={words}>
          {capital(words)}
        </Text>
      ))}
    </>
  );
}

interface KeyNameProps extends RowParts {
  readonly apiKey: ApiKey;
  readonly to: OwnLink;
  /** Next to the prefix. */
  readonly aside?: string | null;
  /** When its pause ends. */
  readonly pause?: string | false | undefined;
}

/** The link of the name covers the whole row. */
export function KeyName({ apiKey: { id: keyId, name, prefix }, to, aside, pause, prefixId, link }: KeyNameProps) {
  return (
    <>
      <a {...to} ref={link} className={classes.link} aria-describedby={prefixId} data-key-id={keyId}>
        <bdi>{name}</bdi>
      </a>{' '}
      {pause && (
        <Text span size="xs" ms={6}>
          <PausedUntil iso={pause} />
        </Text>
      )}
      <div className={`${classes.second} ${classes.cut}`}>
        <code id={prefixId}>{prefix}</code>
        {aside && <span title={aside}>{aside}</span>}
      </div>
    </>
  );
}
