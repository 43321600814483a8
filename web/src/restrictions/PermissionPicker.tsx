import { Stack, Text, TextInput } from '@mantine/core';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { permissionsToGive } from '../../../src/domain/accounts/permission';
import type { AccessLevel } from '../api/types';
import type { ChosenPermissions } from '../base/trip';
import { useTexts } from '../texts';
import { Checkbox } from '../ui/Checkbox';
import { FailureAlert } from '../ui/Notice';
import surface from '../ui/surface.module.css';
import { moveInGrid } from './grid-keys';
import { instancesIn, type PickerRow, pickerRows } from './picker-rows';
import classes from './picker.module.css';
import { firstCell, InstanceRow, PermissionRow } from './PermissionRow';
import { StartingPoints } from './StartingPoints';
import { useApiKeys } from '../key/list';
import { usePermissions } from '../key/useKey';
import { byResource, plain } from '../key/limits';

/** A list that can be seen at once needs no search. */
const SEARCHED_FROM = 13;

/** Up to this many resources, each row says all the time that it can be limited to one. */
const WORDS_UP_TO = 10;

interface Props {
  readonly access: AccessLevel;
  readonly chosen: readonly string[];
  readonly onChange: (part: Partial<ChosenPermissions>) => void;
}

/** One stop for Tab: arrow keys move within the list. Not rendered again while a person types elsewhere in the form. */
export const PermissionPicker = memo(function PermissionPicker({ access, chosen, onChange }: Props) {
  const { restrictions: words, loading } = useTexts();
  const { data, error, isFetching, refetch } = usePermissions();
  const { keys } = useApiKeys();
  const [search, setSearch] = useState('');
  const [isShort, setShort] = useState(false);
  // They stay in the list when they are no longer chosen.
  const [instances, setInstances] = useState(() => [...byResource(chosen).keys()]);
  const [asking, setAsking] = useState<string>();
  const [active, setActive] = useState<string>();
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    grid.current?.querySelector<HTMLElement>(`[data-cell="${wanted.current}"]`)?.focus();
    wanted.current = undefined;
  });
  const items = useMemo(() => permissionsToGive(access, data?.items ?? []), [access, data]);
  const all = useMemo(() => pickerRows(items, instances), [items, instances]);
  const columns = useMemo(
    () => ['read', 'write'].filter((action) => all.some(({ actions }) => actions.includes(action))),
    [all],
  );
  const latest = useRef(chosen);
  latest.current = chosen;
  const toggle = useCallback(
    (permission: string) => {
      const others = latest.current.filter((each) => each !== permission);
      onChange({ chosen: others.length < latest.current.length ? others : [...others, permission] });
    },
    [onChange],
  );

  if (!data) {
    if (error) return <FailureAlert error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
    return <Text size="sm">{loading}</Text>;
  }
  // The form says so below its sentence.
  if (items.length === 0) return null;

  const picked = new Set(chosen);
  const pickedOf = ({ resource, actions }: PickerRow) =>
    actions.filter((action) => picked.has(`${resource}:${action}`));
  const sought = search.trim().toLowerCase();
  const isSought = ({ resource, actions }: PickerRow) =>
    actions.some((action) => `${plain(resource)} ${resource}:${action}`.toLowerCase().includes(sought));
  const rows = all.filter((row) => isSought(row) && (!isShort || pickedOf(row).length > 0));
  const shownOnes = rows.filter(({ isInstance }) => !isInstance);
  const activeRow = rows.find(({ resource }) => resource === active?.replace(/[: ].*/, ''));
  const stop = activeRow ? { row: activeRow, cell: active } : { row: rows[0], cell: firstCell(rows[0]) };

  const add = (row: PickerRow, instance: string) => {
    const actions = pickedOf(row);
    const moved = actions.length > 0 ? actions : row.actions.slice(0, 1);
    const without = chosen.filter((each) => !row.actions.some((action) => each === `${row.resource}:${action}`));
    onChange({ chosen: [...new Set([...without, ...moved.map((action) => `${instance}:${action}`)])] });
    setInstances([...instances, instance]);
    setAsking(undefined);
    wanted.current = `${instance}:${moved[0]}`;
  };
  /** Everything that it ticks can be seen. */
  const start = (permissions: readonly string[]) => {
    setSearch('');
    setShort(false);
    setInstances([...instances, ...byResource(permissions).keys()]);
    onChange({ chosen: permissions });
  };
  /** Those of the owner and of the keys, without those in the table. */
  const knownOf = ({ resource }: PickerRow) =>
    [...new Set(instancesIn([...data.items, ...keys.flatMap((key) => key.permissions ?? [])], resource))].filter(
      (id) => !all.some((row) => row.resource === `${resource}/${id}`),
    );
  const giveUp = (resource: string) => {
    setAsking(undefined);
    wanted.current = `${resource} one`;
  };

  return (
    <Stack gap="xs" mt="sm">
      <StartingPoints items={items} onStart={start} />
      <div className={classes.count}>
        <span role="status">{words.selected(chosen.length, all.flatMap(({ actions }) => actions).length)}</span>
        {(chosen.length > 0 || isShort) && items.length >= SEARCHED_FROM && (
          <button type="button" className={`${surface.link} ${classes.link}`} onClick={() => setShort(!isShort)}>
            {isShort ? words.showAll : words.showSelected}
          </button>
        )}
      </div>
      {items.length >= SEARCHED_FROM && (
        <TextInput
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          // Escape clears it before it closes the dialog.
          data-mantine-stop-propagation={search !== '' || undefined}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setSearch('');
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      )}
      {rows.length === 0 && <Text size="sm">{isShort ? words.noneSelected : words.noneFound(search.trim())}</Text>}
      <div
        ref={grid}
        role="grid"
        aria-label={words.permissions}
        hidden={rows.length === 0}
        className={classes.grid}
        data-long={byResource(items).size > WORDS_UP_TO || undefined}
        onKeyDown={moveInGrid}
        onFocus={({ target }) => setActive(target.dataset['cell'] ?? active)}
      >
        <div role="row" className={classes.header}>
          <div role="columnheader">{words.resource}</div>
          {columns.map((action) => (
            <Column
              key={action}
              action={action}
              hasBox={byResource(items).size > 1}
              isPart={sought !== ''}
              of={shownOnes.filter(({ actions }) => actions.includes(action)).map((row) => `${row.resource}:${action}`)}
              picked={picked}
              onPick={(list, isOn) =>
                onChange({
                  chosen: isOn ? [...new Set([...chosen, ...list])] : chosen.filter((each) => !list.includes(each)),
                })
              }
            />
          ))}
        </div>
        {rows.map((row) => (
          <PermissionRow
            key={row.resource}
            row={row}
            columns={columns}
            picked={pickedOf(row).join(' ')}
            tabStop={row === stop.row ? stop.cell : undefined}
            onToggle={toggle}
            onOnlyOne={setAsking}
          >
            {asking === row.resource && (
              <InstanceRow
                row={row}
                known={knownOf(row)}
                onAdd={(instance) => add(row, instance)}
                onCancel={() => giveUp(row.resource)}
              />
            )}
          </PermissionRow>
        ))}
      </div>
    </Stack>
  );
});

interface ColumnProps {
  readonly action: string;
  /** There are several resources. */
  readonly hasBox: boolean;
  /** A search hides some rows. */
  readonly isPart: boolean;
  readonly of: readonly string[];
  readonly picked: ReadonlySet<string>;
  readonly onPick: (list: readonly string[], isOn: boolean) => void;
}

/** The head of a column. Its box takes or drops all permissions of the column. */
function Column({ action, hasBox, isPart, of, picked, onPick }: ColumnProps) {
  const { restrictions, history } = useTexts();
  const count = of.filter((permission) => picked.has(permission)).length;
  const isFull = count === of.length;
  const word = history.denied.operation[action]!;
  return (
    <div role="columnheader" className={classes.action}>
      {word}
      {hasBox && of.length > 0 && (
        <Checkbox
          aria-label={restrictions.column(word, isPart)}
          isPart={count > 0 && !isFull}
          checked={isFull}
          onChange={() => onPick(of, !isFull)}
        />
      )}
    </div>
  );
}
