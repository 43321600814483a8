import type { Page } from '../../../../application/lists.js';
import { invalidFields } from '../../../../domain/errors.js';

/**
 * A page, and the cursor of the next page if there is one.
 * @param rows the rows of the page, plus one when another page follows
 * @param positionOf the row's position in the list. Clients pass it back unread, and we check it.
 */
export function pageOf<Row>(rows: readonly Row[], limit: number, positionOf: (row: Row) => string[]): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || !last) return { items, nextCursor: null };
  return { items, nextCursor: Buffer.from(JSON.stringify(positionOf(last))).toString('base64url') };
}

export function decodeCursor<T extends readonly string[]>(
  cursor: string,
  isPosition: (position: readonly string[]) => position is T,
): T {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(position) && position.every((part) => typeof part === 'string') && isPosition(position)) {
      return position;
    }
  } catch {
    // Falls through: every unreadable cursor gets the same answer.
  }
  throw invalidFields([{ field: 'cursor', message: 'must be a nextCursor of this list' }]);
}
