import type { EventEmitter } from 'node:events';

/** The open streams of a service, so that a shutdown can end them. */
export class OpenStreams {
  private readonly streams = new Set<EventEmitter>();

  add(stream: EventEmitter): void {
    this.streams.add(stream);
    const forget = () => this.streams.delete(stream);
    stream.once('close', forget).once('cancelled', forget).once('finish', forget);
  }

  get count(): number {
    return this.streams.size;
  }

  /** Every stream answers the questions that it has read, then ends. */
  drain(): void {
    for (const stream of this.streams) stream.emit('drain-requested');
  }
}
