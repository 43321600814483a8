import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { isNewPermission } from '../../../src/domain/accounts/permission';
import { useTexts } from '../texts';
import type { PickerRow } from './picker-rows';
import classes from './picker.module.css';

interface Props {
  readonly row: PickerRow;
  readonly onAdd: (instance: string) => void;
  readonly onCancel: () => void;
}

/** Where a person types which one of the resource the key may use. */
export function InstanceRow({ row: { resource, actions }, onAdd, onCancel }: Props) {
  const { restrictions, cancel } = useTexts();
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
      <div role="gridcell" className={classes.instance}>
        <TextInput
          ref={input}
          size="xs"
          labelProps={{ mb: 6 }}
          label={restrictions.which(resource)}
          placeholder={restrictions.whichExample}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Escape closes this row, not the dialog.
          data-mantine-stop-propagation
          onKeyDown={press}
          error={isWrong && restrictions.whichWrong}
          autoComplete="off"
          flex={1}
        />
        <Button size="xs" variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button size="xs" onClick={add}>
          {restrictions.add}
        </Button>
      </div>
    </div>
  );
}
