import protobuf from 'protobufjs';

type Message = Readonly<Record<string, unknown>>;
type Write = (value: never) => unknown;

/** Writes the bytes of a message as proto3 JSON, with the values that are the default. */
export function jsonWriter(type: protobuf.Type): (bytes: Uint8Array) => string {
  const write = writerOfMessage(type);
  return (bytes) => JSON.stringify(write(type.decode(bytes) as unknown as Message));
}

function writerOfMessage(type: protobuf.Type): (message: Message) => unknown {
  const fields = type.fieldsArray.map((field) => ({ name: field.name, write: writerOfField(field.resolve()) }));
  return (message) => {
    const json: Record<string, unknown> = {};
    for (const { name, write } of fields) {
      const value = write(Object.hasOwn(message, name) ? message[name] : undefined);
      if (value !== undefined) json[name] = value;
    }
    return json;
  };
}

/** Absent messages, members of a oneof and optional fields stay absent. */
function writerOfField(field: protobuf.Field): (value: unknown) => unknown {
  const write = writerOf(field) as (value: unknown) => unknown;
  if (field.repeated) return (list = []) => (list as unknown[]).map(write);
  const isAbsent = field.partOf !== null || field.resolvedType instanceof protobuf.Type;
  const byDefault = isAbsent ? undefined : write(field.defaultValue);
  return (value) => (value === undefined || value === null ? byDefault : write(value));
}

interface Span {
  /** The library's 64-bit integer. */
  readonly seconds: { toNumber(): number };
  readonly nanos: number;
}

function writerOf({ resolvedType, type, fullName }: protobuf.Field): Write {
  if (resolvedType instanceof protobuf.Enum) return (number: number) => resolvedType.valuesById[number] ?? number;
  if (resolvedType?.fullName === '.google.protobuf.Timestamp') return timeText;
  if (resolvedType?.fullName === '.google.protobuf.Duration') {
    return ({ seconds, nanos }: Span) => `${seconds}${fractionOf(nanos)}s`;
  }
  if (resolvedType instanceof protobuf.Type) return writerOfMessage(resolvedType);
  if (type === 'uint64') return String;
  if (!['string', 'bool', 'uint32', 'int32'].includes(type))
    throw new Error(`${fullName}: no writer of JSON for ${type}`);
  return (value) => value;
}

function timeText({ seconds, nanos }: Span): string {
  const whole = new Date(seconds.toNumber() * 1000).toISOString().slice(0, -'.000Z'.length);
  return `${whole}${fractionOf(nanos)}Z`;
}

/** Three, six or nine digits. */
function fractionOf(nanos: number): string {
  return nanos === 0
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/(?:000){1,2}$/, '')}`;
}
