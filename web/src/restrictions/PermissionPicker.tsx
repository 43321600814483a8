import { Text, TextInput } from '@mantine/core';
import { memo, useEffect, useRef, useState } from 'react';
import { permissionsToGive } from '../../../src/domain/keys/access';
import type { AccessLevel } from '../api/types';
import type { ChosenPermissions } from '../create/form';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { moveInGrid } from './grid-keys';
import { instancesOf, pickerRows, type PickerRow } from './picker-rows';
import classes from './picker.module.css';
import { InstanceRow } from './InstanceRow';
import { firstCell, PermissionRow } from './PermissionRow';
import { usePermissions } from './usePermissions';

/** A list that can be seen at once needs no search. */
const SEARCHED_FROM = 13;

interface Props {
  readonly access: AccessLevel;
  readonly chosen: readonly string[];
  readonly onChange: (part: Partial<ChosenPermissions>) => void;
}

/** One stop for Tab: arrow keys move within the list. Not rendered again while a person types elsewhere in the form. */
export const PermissionPicker = memo(function PermissionPicker({ access, chosen, onChange }: Props) {
  const { restrictions: words, loading } = useTexts();
  const { data, error, isFetching, refetch } = usePermissions();
  const [search, setSearch] = useState('');
  const [isShort, setShort] = useState(false);
  const [typed, setTyped] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState<string>();
  const [active, setActive] = useState<string>();
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    grid.current?.querySelector<HTMLElement>(`[data-cell="${wanted.current}"]`)?.focus();
    wanted.current = undefined;
  });

  if (!data) {
    if (error) return <FailureAlert error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
    return <Text size="sm">{loading}</Text>;
  }
  const items = permissionsToGive(access, data.items);
  if (items.length === 0) return <Text size="sm">{words.none}</Text>;

  const picked = new Set(chosen);
  const isPicked = ({ resource, actions }: PickerRow) => actions.some((action) => picked.has(`${resource}:${action}`));
  const sought = search.trim().toLowerCase();
  const isSought = ({ resource, actions }: PickerRow) =>
    actions.some((action) => `${resource}:${action}`.toLowerCase().includes(sought));
  const all = pickerRows(items, [...instancesOf(chosen), ...typed]);
  const rows = all.filter((row) => isSought(row) && (!isShort || isPicked(row)));
  const columns = ['read', 'write'].filter((action) => all.some(({ actions }) => actions.includes(action)));
  const tabStop = rows.some((row) => row.resource === active?.replace(/[: ].*/, '')) ? active : firstCell(rows[0]);

  const toggle = (permission: string) =>
    onChange({
      chosen: picked.has(permission) ? chosen.filter((each) => each !== permission) : [...chosen, permission],
    });
  const add = (row: PickerRow, instance: string) => {
    const actions = row.actions.filter((action) => picked.has(`${row.resource}:${action}`));
    const moved = actions.length > 0 ? actions : row.actions.slice(0, 1);
    const without = chosen.filter((each) => !row.actions.some((action) => each === `${row.resource}:${action}`));
    onChange({ chosen: [...new Set([...without, ...moved.map((action) => `${instance}:${action}`)])] });
    setTyped([...typed, instance]);
    setAsking(undefined);
    wanted.current = `${instance}:${moved[0]}`;
  };
  const giveUp = (resource: string) => {
    setAsking(undefined);
    wanted.current = `${resource} one`;
  };

  return (
    <div className={classes.picker}>
      {items.length >= SEARCHED_FROM && (
        <TextInput
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <div className={classes.count}>
        <span role="status">{words.selected(chosen.length, items.length)}</span>
        {(chosen.length > 0 || isShort) && items.length >= SEARCHED_FROM && (
          <button type="button" className={classes.link} onClick={() => setShort(!isShort)}>
            {isShort ? words.showAll : words.showSelected}
          </button>
        )}
      </div>
      {rows.length === 0 && <Text size="sm">{isShort ? words.noneSelected : words.noneFound(search.trim())}</Text>}
      <div
        ref={grid}
        role="grid"
        aria-label={words.permissions}
        hidden={rows.length === 0}
        className={classes.grid}
        onKeyDown={moveInGrid}
        onFocus={({ target }) => setActive(target.dataset['cell'] ?? active)}
      >
        {rows.map((row) => (
          <PermissionRow
            key={row.resource}
            row={row}
            columns={columns}
            picked={picked}
            tabStop={tabStop}
            onToggle={toggle}
            onOnlyOne={row.isInstance ? undefined : () => setAsking(row.resource)}
          >
            {asking === row.resource && (
              <InstanceRow row={row} onAdd={(instance) => add(row, instance)} onCancel={() => giveUp(row.resource)} />
            )}
          </PermissionRow>
        ))}
      </div>
    </div>
  );
});
