import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { plainText } from '../../shared/request-facts.js';
import { timeIn } from '#domain/time.js';

/** Reads a value of which the first token was read. @param path the field, as errors name it */
type Read = (token: string, json: Tokens, path: string) => unknown;

/**
 * Reads proto3 JSON into the bytes of a message. Stricter than JSON.parse and most readers of proto3 JSON, because a
 * misspelt permission must not become a request without one: a field that is unknown, occurs twice or is null is an
 * error, and so are two members of a oneof. Nothing nests deeper than the messages of the contract do.
 */
export function jsonReader(type: protobuf.Type): (body: Buffer) => Buffer {
  const read = readerOfMessage(type);
  return (body) => {
    if (!isUtf8(body)) throw new LatchkeyError('invalid_request', 'The body is not valid UTF-8');
    const json = new Tokens(body.toString());
    const token = json.next();
    if (token !== '{') throw new LatchkeyError('invalid_request', 'The body must be one JSON object');
    const message = read(token, json, '') as Record<string, unknown>;
    json.end();
    return type.encode(message).finish() as Buffer;
  };
}

const STRING = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\u0000-\u001f]*)*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const BLANKS = String.raw`[ \t\n\r]*`;
const TOKEN = new RegExp(`${BLANKS}([{}[\\],:]|${STRING}|${NUMBER}|true|false|null)`, 'y');
const END = new RegExp(`${BLANKS}$`, 'y');

/** The tokens of a JSON text (RFC 8259). */
class Tokens {
  private at = 0;

  constructor(private readonly text: string) {}

  next(): string {
    TOKEN.lastIndex = this.at;
    const token = TOKEN.exec(this.text)?.[1];
    if (token === undefined) throw notJson();
    this.at = TOKEN.lastIndex;
    return token;
  }

  /** Reads items and the commas between them up to `close`. @param item is given the item's first token */
  items(close: '}' | ']', item: (token: string) => void): void {
    let token = this.next();
    if (token === close) return;
    for (;;) {
      item(token);
      const separator = this.next();
      if (separator === close) return;
      if (separator !== ',') throw notJson();
      token = this.next();
    }
  }

  end(): void {
    END.lastIndex = this.at;
    if (!END.test(this.text)) throw notJson();
  }
}

interface Member {
  readonly read: Read;
  /** The other members of its oneof. */
  readonly excludes: readonly string[];
}

function readerOfMessage(type: protobuf.Type): Read {
  const members = new Map(type.fieldsArray.map((field) => [field.name, memberOf(field)]));
  return (token, json, path) => {
    if (token !== '{') throw wrong(token, path, 'must be an object');
    const message: Record<string, unknown> = {};
    json.items('}', (quoted) => {
      if (quoted[0] !== '"' || json.next() !== ':') throw notJson();
      const name = unquoted(quoted);
      const at = path ? `${path}.${name}` : name;
      const member = members.get(name);
      if (!member) throw invalid(at, `is not a field: ${type.name} has ${[...members.keys()].join(', ') || 'none'}`);
      if (Object.hasOwn(message, name)) throw invalid(at, 'occurs twice');
      const excluded = member.excludes.find((other) => Object.hasOwn(message, other));
      if (excluded) throw invalid(at, `and ${excluded} exclude each other: send one of them`);
      message[name] = member.read(json.next(), json, at);
    });
    return message;
  };
}

function memberOf(field: protobuf.Field): Member {
  const one = readerOf(field.resolve());
  const excludes = (field.partOf?.oneof ?? []).filter((other) => other !== field.name);
  return { read: field.repeated ? readerOfList(one) : one, excludes };
}

function readerOfList(one: Read): Read {
  return (token, json, path) => {
    if (token !== '[') throw wrong(token, path, 'must be a list');
    const list: unknown[] = [];
    json.items(']', (first) => list.push(one(first, json, `${path}[${list.length}]`)));
    return list;
  };
}

function readerOf({ resolvedType, type, fullName }: protobuf.Field): Read {
  if (resolvedType instanceof protobuf.Enum) return readerOfEnum(resolvedType);
  if (resolvedType?.fullName === '.google.protobuf.Timestamp') return readTimestamp;
  if (resolvedType instanceof protobuf.Type) return readerOfMessage(resolvedType);
  const read = SCALARS[type];
  if (!read) throw new Error(`${fullName}: no reader of JSON for ${type}`);
  return read;
}

/** Other types of proto3 are in no request. */
const SCALARS: Readonly<Record<string, Read>> = {
  string: (token, _json, path) => {
    if (token[0] !== '"') throw wrong(token, path, 'must be text');
    const text = unquoted(token);
    if (/\p{Cs}/u.test(text)) throw invalid(path, 'has half of a surrogate pair');
    return text;
  },
  bool: (token, _json, path) => {
    if (token !== 'true' && token !== 'false') throw wrong(token, path, 'must be true or false');
    return token === 'true';
  },
  uint32: (token, _json, path) => Number(wholeNumber(token, path, 2n ** 32n - 1n)),
  uint64: (token, _json, path) => String(wholeNumber(token, path, 2n ** 64n - 1n)),
};

const WHOLE = /^(0|[1-9]\d*)$/;

/** As a number or as text. */
function wholeNumber(token: string, path: string, most: bigint): bigint {
  const digits = token[0] === '"' ? token.slice(1, -1) : token;
  const value = WHOLE.test(digits) ? BigInt(digits) : undefined;
  if (value === undefined || value > most) throw wrong(token, path, `must be a whole number from 0 to ${most}`);
  return value;
}

function readerOfEnum({ values }: protobuf.Enum): Read {
  return (token, _json, path) => {
    const name = token[0] === '"' ? unquoted(token) : '';
    if (!Object.hasOwn(values, name)) throw wrong(token, path, `must be one of ${Object.keys(values).join(', ')}`);
    return values[name];
  };
}

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

function readTimestamp(token: string, _json: Tokens, path: string): { seconds: number; nanos: number } {
  const [, wholeSeconds, fraction = '', zone] = RFC_3339.exec(token[0] === '"' ? unquoted(token) : '') ?? [];
  const time = timeIn(`${wholeSeconds}${zone}`);
  if (!time) throw wrong(token, path, 'must be a time like 2026-01-31T10:00:00Z');
  return { seconds: time.getTime() / 1000, nanos: Number(fraction.padEnd(9, '0')) };
}

function unquoted(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

const MAX_SHOWN = 100;

/** The field may be a text that the caller mistook for a name. */
function invalid(path: string, message: string): LatchkeyError {
  return invalidFields([{ field: plainText(path, MAX_SHOWN) ?? '""', message }]);
}

function wrong(token: string, path: string, message: string): LatchkeyError {
  if ('}],:'.includes(token)) return notJson();
  return invalid(path, token === 'null' ? 'must not be null: leave it out' : message);
}

function notJson(): LatchkeyError {
  return new LatchkeyError('invalid_request', 'The body is not valid JSON');
}
