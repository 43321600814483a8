import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import type { KeyLinks, KeyRow as Row } from './key-rows';
import classes from './KeyList.module.css';
import { KeyRow } from './KeyRow';

interface Props {
  readonly rows: readonly Row[];
  readonly areEnded?: boolean;
  readonly links: KeyLinks;
}

/** The roles are explicit, because `display` removes those of a table. On a narrow screen the rows are cards. */
export function KeyTable({ rows, areEnded = false, links }: Props) {
  const { keys } = useTexts();
  return (
    <div role="table" className={classes.table} aria-label={areEnded ? keys.endedLabel : keys.tableLabel}>
      <TableHeader areEnded={areEnded} />
      <div role="rowgroup" className={classes.rows}>
        {rows.map((row) => (
          <KeyRow key={row.key.id} row={row} links={links} />
        ))}
      </div>
    </div>
  );
}

function TableHeader({ areEnded = false }: { readonly areEnded?: boolean }) {
  const { column } = useTexts().keys;
  const names = [column.name, column.access, column.recent, column.lastUsed, areEnded ? column.ended : column.expires];
  return (
    <div role="rowgroup" className={classes.header}>
      <div role="row" className={classes.columns}>
        {names.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
        <span role="columnheader">
          <VisuallyHidden>{column.actions}</VisuallyHidden>
        </span>
      </div>
    </div>
  );
}

/** The header and empty rows of the height of the real ones, so that nothing moves. */
export function KeyTableSkeleton({ rows = 3 }: { readonly rows?: number }) {
  const texts = useTexts();
  return (
    <div role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <div className={classes.table} aria-hidden="true">
        <TableHeader />
        <div className={classes.rows}>
          {Array.from({ length: rows }, (_, row) => (
            <div key={row} className={classes.row}>
              <div className={classes.name}>
                <Skeleton height={14} width="45%" my={4} />
                <Skeleton height={12} width="60%" my={3} />
              </div>
              {[70, 90, 65, 75].map((width) => (
                <div key={width}>
                  <Skeleton height={12} width={`${width}%`} />
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
