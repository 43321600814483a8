import type { Backlog, UndeliveredNotices } from '../../../application/ports.js';
import type { NoticeChannel } from '../../../domain/notices/key-notice.js';
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
    const each = (field: keyof Backlog) => () =>
      this.channels.map((channel) => [{ channel }, this.backlog?.[channel][field] ?? 0] as const);
    const failed = 'Messages that were given up and are still stored, when last counted';
    const oldest = 'Age of the oldest message that waits, when last counted';
    // All workers count the same outbox, so the highest value counts.
    return [
      gauge(
        'latchkey_outbox_waiting',
        'Messages that wait for their next attempt, when last counted',
        each('waiting'),
        'max',
      ),
      gauge('latchkey_outbox_failed', failed, each('failed'), 'max'),
      gauge('latchkey_outbox_oldest_seconds', oldest, each('oldestSeconds'), 'max'),
    ];
  }
}
