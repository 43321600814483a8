const MAX_ATTRIBUTES = 16;
const MAX_VALUE_LENGTH = 256;
/** Of all attributes together, as a header is encoded. */
const MAX_BYTES = 2048;

/** What the platform says of an account, such as its tenant. Every grant carries it. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
}

export function attributesProblem(attributes: readonly Attribute[]): string | undefined {
  if (attributes.length > MAX_ATTRIBUTES) return `must be at most ${MAX_ATTRIBUTES}`;
  const names = new Set<string>();
  for (const { name, value } of attributes) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!/^[a-z][a-z0-9_.-]{0,63}$/.test(name))
      return `must have names of 1 to 64 characters of [a-z0-9_.-] that start with a letter, unlike ${shown}`;
    if (names.has(name)) return `must have each name once: ${shown} comes twice`;
    names.add(name);
    // A half of a surrogate pair can't be encoded.
    if (/[\p{Cc}\p{Cs}]/u.test(value)) return `must have values without control characters, unlike ${shown}`;
    if ([...value].length > MAX_VALUE_LENGTH)
      return `must have values of at most ${MAX_VALUE_LENGTH} characters, unlike ${shown}`;
  }
  const bytes = attributesHeader(attributes).length;
  return bytes > MAX_BYTES ? `must take at most ${MAX_BYTES} bytes as a header, and these take ${bytes}` : undefined;
}

export function attributesByName(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
}

/** A dictionary of RFC 9651: `tenant="acme", plan="pro"`. Values beyond printable ASCII are Display Strings. */
export function attributesHeader(attributes: readonly Attribute[]): string {
  return attributes
    .map(({ name, value }) => `${name}=${isPlain(value) ? asString(value) : asDisplayString(value)}`)
    .join(', ');
}

function isPlain(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

/** RFC 9651, section 4.1.6. */
function asString(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 9651, section 4.1.11: bytes of UTF-8 that are not printable ASCII, `%` and `"` are percent-encoded. */
function asDisplayString(value: string): string {
  const bytes = [...new TextEncoder().encode(value)];
  const encode = (byte: number) =>
    byte < 0x20 || byte > 0x7e || byte === 0x25 || byte === 0x22
      ? `%${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte);
  return `%"${bytes.map(encode).join('')}"`;
}
