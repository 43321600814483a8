const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Where messages are written before they are copied out at their length: room for far more would be garbage of each. */
const DESK = Buffer.allocUnsafeSlow(8 * 1024);

/**
 * Writes one Protocol Buffers (proto3) message into one buffer: a field at its default is left out, and the length of
 * a message within is filled in once it is known. A general writer, which plans before it writes, costs four times as
 * much, on every request of the platform.
 */
export class MessageWriter {
  private readonly bytes: Buffer;
  private end = 0;

  /** @param capacity at least what will be written */
  constructor(capacity: number) {
    this.bytes = capacity <= DESK.length ? DESK : Buffer.allocUnsafe(capacity);
  }

  /** @param value whole, and not negative */
  number(field: number, value: number): void {
    if (value === 0) return;
    this.tag(field, VARINT);
    this.varint(value);
  }

  text(field: number, value: string): void {
    if (value !== '') this.item(field, value);
  }

  /** One of a repeated field, which is written though it be empty. */
  item(field: number, value: string): void {
    this.tag(field, LENGTH_DELIMITED);
    const start = this.end + 1;
    this.end = start + this.bytes.write(value, start);
    this.fillLength(start);
  }

  message(field: number, write: () => void): void {
    this.tag(field, LENGTH_DELIMITED);
    const start = (this.end += 1);
    write();
    this.fillLength(start);
  }

  finish(): Buffer {
    const message = Buffer.allocUnsafe(this.end);
    this.bytes.copy(message, 0, 0, this.end);
    return message;
  }

  private tag(field: number, wireType: number): void {
    this.bytes[this.end] = (field << 3) | wireType;
    this.end += 1;
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) {
      this.bytes[this.end] = (rest % 0x80) | 0x80;
      this.end += 1;
    }
    this.bytes[this.end] = rest;
    this.end += 1;
  }

  /** One byte is kept for the length of what begins at `start`; what needs more is moved on. */
  private fillLength(start: number): void {
    const end = this.end;
    const length = end - start;
    this.end = start - 1;
    if (length <= 0x7f) {
      this.varint(length);
      this.end = end;
      return;
    }
    const moved = start - 1 + varintLength(length);
    this.bytes.copyWithin(moved, start, end);
    this.varint(length);
    this.end = moved + length;
  }
}

function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}
