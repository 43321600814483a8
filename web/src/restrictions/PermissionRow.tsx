import type { ReactNode } from 'react';
import { useTexts } from '../texts';
import type { PickerRow } from './picker-rows';
import classes from './picker.module.css';

interface Props {
  readonly row: PickerRow;
  /** The actions of all rows. */
  readonly columns: readonly string[];
  readonly picked: ReadonlySet<string>;
  /** The cell that Tab leads to. */
  readonly tabStop: string | undefined;
  readonly onToggle: (permission: string) => void;
  readonly onOnlyOne: (() => void) | undefined;
  /** A row that belongs to this one. */
  readonly children: ReactNode;
}

export const firstCell = (row: PickerRow | undefined) => row && `${row.resource}:${row.actions[0]}`;

/** The browser's own checkboxes: hundreds of the library's take a second to appear. */
export function PermissionRow({ row, columns, picked, tabStop, onToggle, onOnlyOne, children }: Props) {
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
                  checked={picked.has(`${resource}:${action}`)}
                  onChange={() => onToggle(`${resource}:${action}`)}
                />
                {action}
              </label>
            )}
          </div>
        ))}
        <div role="gridcell" className={classes.one}>
          {onOnlyOne && (
            <button
              type="button"
              className={classes.link}
              aria-label={`${restrictions.onlyOne} ${resource}`}
              data-cell={`${resource} one`}
              tabIndex={tabIndex(`${resource} one`)}
              onClick={onOnlyOne}
            >
              {restrictions.onlyOne}
            </button>
          )}
        </div>
      </div>
      {children}
    </>
  );
}
