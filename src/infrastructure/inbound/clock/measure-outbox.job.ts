import type { Backlog, UndeliveredNotices } from '../../../application/ports.js';
import type { NoticeChannel } from '../../../domain/notices/channel.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Job } from './job.js';

/** Counts the messages that are not delivered yet, for the metrics. */
export class MeasureOutboxJob implements Job {
  readonly name = 'measure-outbox';
  readonly everyMs = 15_000;
  private backlog: Record<NoticeChannel, Backlog> | undefined;

  /** @param channels the configured ones */
  constructor(
    private readonly outbox: UndeliveredNotices,
    private readonly channels: readonly NoticeChannel[],
  ) {}

  async run(): Promise<void> {
    this.backlog = await this.outbox.backlog();
  }

  instruments(): Instrument[] {
    const each = (read: (backlog: Backlog) => number) => () =>
      this.channels.map((channel) => [{ channel }, this.backlog ? read(this.backlog[channel]) : 0] as const);
    // All workers count the same outbox, so the highest value counts.
    return [
      gauge(
        'latchkey_outbox_waiting',
        'Messages that wait for their next try, as of the last look',
        each(({ waiting }) => waiting),
        'max',
      ),
      gauge(
        'latchkey_outbox_failed',
        'Messages that were given up and are still kept, as of the last look',
        each(({ failed }) => failed),
        'max',
      ),
      gauge(
        'latchkey_outbox_oldest_seconds',
        'Time since the oldest message that waits was told, as of the last look',
        each(({ oldestSeconds }) => oldestSeconds),
        'max',
      ),
    ];
  }
}
