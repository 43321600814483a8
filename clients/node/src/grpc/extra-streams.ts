import type { ValidationStream } from './validation-stream.js';

const maxExtra = 15;
/** With this many unanswered questions on a stream, another stream is opened. */
const crowd = 4;

/**
 * More streams over the connection of a stream that has many questions. gRPC sends the messages of one stream one after
 * the other, each when the connection has taken the one before; messages of different streams are sent together.
 */
export class ExtraStreams {
  private readonly streams: ValidationStream[] = [];
  private turn = 0;

  constructor(private readonly open: () => ValidationStream) {}

  /** The next stream in turn that has room, including the first one; the first one when none has room. */
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

  /** Forgets a stream that has ended. */
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
