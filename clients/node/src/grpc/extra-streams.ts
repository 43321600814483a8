import type { ValidationStream } from './validation-stream.js';

const maxExtra = 15;
/** Questions out on one stream, from which on another is opened. */
const crowd = 4;

/**
 * More streams over the connection of one that has much to ask. gRPC sends the messages of a stream one after the
 * other, each when the connection has taken the one before; those of different streams go out together.
 */
export class ExtraStreams {
  private readonly streams: ValidationStream[] = [];
  private turn = 0;

  constructor(private readonly open: () => ValidationStream) {}

  /** The next in turn that has room, the first stream included; the first when none has. */
  nextAfter(first: ValidationStream): ValidationStream {
    if (first.load >= crowd && this.streams.length < maxExtra) this.streams.push(this.open());
    for (let tried = 0; tried <= this.streams.length; tried += 1) {
      this.turn = (this.turn + 1) % (this.streams.length + 1);
      const stream = this.streams[this.turn - 1] ?? first;
      if (stream.takesQuestions && !stream.isFull) return stream;
    }
    return first;
  }

  has(stream: ValidationStream): boolean {
    return this.streams.includes(stream);
  }

  /** It has ended. */
  drop(stream: ValidationStream): void {
    if (this.has(stream)) this.streams.splice(this.streams.indexOf(stream), 1);
  }

  retire(): void {
    for (const stream of this.streams.splice(0)) stream.retire();
  }

  checkSilence(): void {
    for (const stream of [...this.streams]) stream.checkSilence();
  }
}
