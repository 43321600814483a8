import { type KeyboardEvent, memo, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, Group, TextInput } from '@mantine/core';
import { useTexts } from '../texts';
import type { PickerRow } from './picker-rows';
import { capital, meaningOf, plain } from '../key/limits';
import list from '../ui/list.module.css';
import { Checkbox } from '../ui/Checkbox';
import surface from '../ui/surface.module.css';
import classes from './picker.module.css';
import { isNewPermission } from '../../../src/domain/accounts/permission';

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

/** Of hundreds of rows, a key press renders only those that it changes. */
export const PermissionRow = memo(function PermissionRow({ row, columns, picked, tabStop, ...given }: Props) {
  const { onToggle, onOnlyOne, children } = given;
  const texts = useTexts();
  const { restrictions } = texts;
  const { resource, actions, isInstance } = row;
  const tabIndex = (cell: string) => (cell === tabStop ? 0 : -1);
  return (
    <>
      <div role="row" className={classes.row} data-instance={isInstance || undefined}>
        <div role="rowheader" className={classes.resource}>
          {capital(plain(resource))} <code className={list.slug}>{resource}</code>
        </div>
        {!isInstance && (
          <div role="gridcell" className={classes.one}>
            <button
              type="button"
              className={`${surface.link} ${classes.link}`}
              aria-label={`${restrictions.onlyOne} ${plain(resource)}`}
              data-cell={`${resource} one`}
              tabIndex={tabIndex(`${resource} one`)}
              onClick={() => onOnlyOne(resource)}
            >
              {restrictions.onlyOne}
            </button>
          </div>
        )}
        {columns.map((action) => (
          <div role="gridcell" key={action} className={classes.action}>
            {actions.includes(action) && (
              <Checkbox
                aria-label={capital(meaningOf([resource], [action], texts))}
                data-cell={`${resource}:${action}`}
                tabIndex={tabIndex(`${resource}:${action}`)}
                checked={picked.split(' ').includes(action)}
                onChange={() => onToggle(`${resource}:${action}`)}
              />
            )}
          </div>
        ))}
      </div>
      {children}
    </>
  );
});

interface InstanceRowProps {
  readonly row: PickerRow;
  /** IDs that a person may mean. */
  readonly known: readonly string[];
  readonly onAdd: (instance: string) => void;
  readonly onCancel: () => void;
}

/** Where a person types which one of the resource the key may use. */
export function InstanceRow({ row: { resource, actions }, known, onAdd, onCancel }: InstanceRowProps) {
  const { restrictions, cancel } = useTexts();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const add = () => {
    const typed = text.trim();
    const instance = typed.startsWith(`${resource}/`) ? typed : `${resource}/${typed}`;
    if (isNewPermission(`${instance}:${actions[0]}`)) onAdd(instance);
    else {
      setWrong(true);
      input.current?.focus();
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Enter') add();
    else onCancel();
  };
  return (
    <div role="row" className={classes.asking}>
      <Group role="gridcell" gap="xs" align="flex-end">
        <TextInput
          ref={input}
          size="xs"
          labelProps={{ mb: 6 }}
          label={restrictions.which(plain(resource))}
          placeholder={restrictions.whichExample}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Escape closes this row, not the dialog.
          data-mantine-stop-propagation
          onKeyDown={press}
          error={isWrong && restrictions.whichWrong}
          autoComplete="off"
          list={known.length > 0 ? listId : undefined}
          flex="1 1 12rem"
        />
        <datalist id={listId}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Button size="xs" variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button size="xs" onClick={add}>
          {restrictions.add}
        </Button>
      </Group>
    </div>
  );
}
