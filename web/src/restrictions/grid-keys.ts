import type { KeyboardEvent } from 'react';

/** Moves between the cells of a grid by arrow keys, as in a table. Each cell's control has `data-cell`. */
export function moveInGrid(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || target.dataset['cell'] === undefined) return;
  if (key === 'Enter' && target instanceof HTMLInputElement) {
    // Not the form's button.
    event.preventDefault();
    target.click();
    return;
  }
  const next = neighbour(rowsOf(currentTarget), target, key);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function rowsOf(grid: HTMLElement): HTMLElement[][] {
  const rows = [...grid.querySelectorAll('[role="row"]')];
  return rows.map((row) => [...row.querySelectorAll<HTMLElement>('[data-cell]')]).filter((cells) => cells.length > 0);
}

/** Such as "read". */
const columnOf = (cell: HTMLElement) => cell.dataset['cell']?.replace(/.*[: ]/, '');

function neighbour(rows: readonly HTMLElement[][], from: HTMLElement, key: string): HTMLElement | undefined {
  const y = rows.findIndex((cells) => cells.includes(from));
  const x = rows[y]?.indexOf(from) ?? 0;
  // A row may lack some of the columns.
  const inRow = (cells: HTMLElement[] | undefined) =>
    cells?.find((cell) => columnOf(cell) === columnOf(from)) ?? cells?.at(-1);
  const places: Readonly<Record<string, HTMLElement | undefined>> = {
    ArrowDown: inRow(rows[y + 1]),
    ArrowUp: inRow(rows[y - 1]),
    ArrowRight: rows[y]?.[x + 1],
    ArrowLeft: rows[y]?.[x - 1],
    Home: rows[0]?.[0],
    End: rows.at(-1)?.[0],
  };
  return places[key];
}
