/**
 * Reads protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) value by value.
 *
 * @throws {RangeError} the bytes end too early or are not protobuf
 */
export class MessageReader {
  at = 0;
  /** The upper half of the number that was read last. */
  private high = 0;

  constructor(private readonly bytes: Buffer) {}

  /** The lower 32 bits of a varint, signed. */
  int32(): number {
    let low = 0;
    this.high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError('the message ends within a number');
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift > 25) this.high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
      if (byte < 0x80) return low;
    }
    throw new RangeError('a number has more than ten bytes');
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** In decimal, because a JavaScript number cannot hold every value. */
  int64(): string {
    const low = this.uint32();
    if (this.high === 0) return String(low);
    return BigInt.asIntN(64, (BigInt(this.high >>> 0) << 32n) | BigInt(low)).toString();
  }

  /** In decimal, like `int64`. */
  uint64(): string {
    const low = this.uint32();
    if (this.high === 0) return String(low);
    return ((BigInt(this.high >>> 0) << 32n) | BigInt(low)).toString();
  }

  text(): string {
    const end = this.end();
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  /** Reads a length, and returns the position where the value after it ends. */
  end(): number {
    const end = this.uint32() + this.at;
    if (end > this.bytes.length) throw new RangeError('a value is longer than its message');
    return end;
  }

  /** Skips a field that this reader does not know. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.int32();
    else if (wireType === 1) this.at += 8;
    else if (wireType === 2) this.at = this.end();
    else if (wireType === 5) this.at += 4;
    else throw new RangeError(`unknown wire type ${wireType}`);
  }

  /** Checks that reading stopped exactly at the end of the message. */
  arriveAt(end: number): void {
    if (this.at !== end) throw new RangeError('a value is longer than its message');
  }
}
