import type { EventEmitter } from 'node:events';
import { gauge, type Instrument } from '../../../telemetry/instrument.js';

/** The validation streams that are open, so that a shutdown can ask them to come to an end. */
export class OpenStreams {
  private readonly streams = new Set<EventEmitter>();

  add(stream: EventEmitter): void {
    this.streams.add(stream);
    const forget = () => this.streams.delete(stream);
    stream.once('close', forget).once('cancelled', forget).once('finish', forget);
  }

  instruments(): Instrument[] {
    return [gauge('latchkey_validation_streams_open', 'Streams of questions that are open', () => this.streams.size)];
  }

  /** Every stream answers what it has read, then ends. */
  drain(): void {
    for (const stream of this.streams) stream.emit('drain-requested');
  }
}
