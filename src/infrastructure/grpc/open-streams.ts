import type { EventEmitter } from 'node:events';

/** The validation streams that are open, so that a shutdown can ask them to come to an end. */
export class OpenStreams {
  private readonly streams = new Set<EventEmitter>();

  add(stream: EventEmitter): void {
    this.streams.add(stream);
    const forget = () => this.streams.delete(stream);
    stream.once('close', forget).once('cancelled', forget).once('finish', forget);
  }

  /** Every stream answers what it has read, then ends. */
  drain(): void {
    for (const stream of this.streams) stream.emit('drain-requested');
  }
}
