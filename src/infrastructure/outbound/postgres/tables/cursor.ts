import { invalidFields } from '../../../../domain/errors.js';

/** A position in a list, as clients pass it back: opaque to them, checked by us. */
export function encodeCursor(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
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
    // falls through to the one answer for every unreadable cursor
  }
  throw invalidFields([{ field: 'cursor', message: 'must be a nextCursor of this list' }]);
}
