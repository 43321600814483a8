import { invalidFields, LatchkeyError } from '../../../domain/errors.js';

/** The same error, with its fields spelled as in `proto/`: `displayName` becomes `display_name`. */
export function inProtoSpelling(error: unknown): unknown {
  const errors = error instanceof LatchkeyError ? error.details.errors : undefined;
  if (!errors) return error;
  return invalidFields(errors.map(({ field, message }) => ({ field: snakeCase(field), message })));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
