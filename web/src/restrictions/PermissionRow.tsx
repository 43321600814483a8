import { memo, type ReactNode } from 'react';
import { useTexts } from '../texts';
import type { PickerRow } from './picker-rows';
import classes from './picker.module.css';

interface Props {
  readonly row: PickerRow;
  /** The actions of all rows. */
  readonly columns: readonly string[];
  /** Which of the row's actions are chosen, as one text. */
  readonly picked: string;
  /** The cell that Tab leads to, if it is in this row. */
  readonly tabStop: string | undefined;
  readonly onToggle: (permission: string) => void;
  readonly onOnlyOne: (resource: string) => void;
  /** A row that belongs to this one. */
  readonly children: ReactNode;
}

export const firstCell = (row: PickerRow | undefined) => row && `${row.resource}:${row.actions[0]}`;

/**
 * The browser's own checkboxes: hundreds of the library's take a second to appear. Of hundreds of rows, a key press renders
 * only those that it changes.
 */
export const PermissionRow = memo(function PermissionRow({ row, columns, picked, tabStop, ...given }: Props) {
  const { onToggle, onOnlyOne, children } = given;
  const { restrictions } = useTexts();
  const { resource, actions, isInstance } = row;
  const tabIndex = (cell: string) => (cell === tabStop ? 0 : -1);
  return (
    <>
      <div role="row" className={classes.row} data-instance={isInstance || undefined}>
        <div role="rowheader" className={classes.resource}>
          {resource}
        </div>
        {columns.map((action) => (
          <div role="gridcell" key={action} className={classes.action}>
            {actions.includes(action) && (
              <label>
                <input
                  type="checkbox"
                  aria-label={`${resource}:${action}`}
                  data-cell={`${resource}:${action}`}
                  tabIndex={tabIndex(`${resource}:${action}`)}
                  checked={picked.split(' ').includes(action)}
                  onChange={() => onToggle(`${resource}:${action}`)}
                />
                {action}
              </label>
            )}
          </div>
        ))}
        <div role="gridcell" className={classes.one}>
          {!isInstance && (
            <button
              type="button"
              className={classes.link}
              aria-label={`${restrictions.onlyOne} ${resource}`}
              data-cell={`${resource} one`}
              tabIndex={tabIndex(`${resource} one`)}
              onClick={() => onOnlyOne(resource)}
            >
              {restrictions.onlyOne}
            </button>
          )}
        </div>
      </div>
      {children}
    </>
  );
});
