import type { Page, PageRequest } from '../../src/application/lists.js';
import { invalidFields } from '../../src/domain/errors.js';

/**
 * @param all in the order of the list, including items that are not shown, because a cursor may point at one
 * @param idOf the item's id for the cursor, opaque to clients
 */
export function pageOf<T>(
  all: readonly T[],
  idOf: (item: T) => string,
  { limit, cursor }: PageRequest,
  isShown: (item: T) => boolean = () => true,
): Page<T> {
  const at = cursor === undefined ? -1 : all.findIndex((item) => idOf(item) === cursor);
  if (cursor !== undefined && at === -1) {
    throw invalidFields([{ field: 'cursor', message: 'must be a nextCursor of this list' }]);
  }
  const rest = all.slice(at + 1).filter(isShown);
  const items = rest.slice(0, limit);
  return { items, nextCursor: rest.length > limit ? idOf(items.at(-1)!) : null };
}
