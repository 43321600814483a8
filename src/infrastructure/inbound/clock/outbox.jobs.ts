import type { SendNotices, TryOutcome } from '#application/notices/send-notices.js';
import type { Backlog, UndeliveredNotices } from '#application/ports.js';
import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';
import type { Job } from './clock.js';

const RECEIVERS: Readonly<Record<NoticeChannel, string>> = {
  webhook: 'The webhook receiver (WEBHOOK_URL)',
  mail: 'The mail server (SMTP_URL)',
};
const COUNTED = ['delivered', 'failed', 'given_up'] as const satisfies readonly TryOutcome[];

/** Sends new messages of one channel. Runs in every instance. */
export class SendNoticesJob implements Job {
  readonly name: string;
  readonly everyMs = 1000;
  private readonly attempts = new Map<TryOutcome, number>(COUNTED.map((outcome) => [outcome, 0]));
  private readonly outage: Outage;

  constructor(
    private readonly notices: SendNotices,
    log: Log,
  ) {
    this.name = `send-${notices.channel}`;
    const store = RECEIVERS[notices.channel];
    this.outage = new Outage(log, { store, effect: 'its messages wait', again: 'waiting messages are sent' });
  }

  async run(): Promise<number | undefined> {
    const { outcomes, why, pauseMs } = await this.notices.execute();
    for (const outcome of outcomes) this.attempts.set(outcome, (this.attempts.get(outcome) ?? 0) + 1);
    if (why !== undefined) this.outage.noticed(new Error(why));
    else if (outcomes.includes('delivered')) this.outage.over();
    return pauseMs;
  }

  stop(): void {
    this.notices.stop();
  }

  instruments(): Instrument[] {
    const { channel } = this.notices;
    const each = () => COUNTED.map((outcome) => [{ channel, outcome }, this.attempts.get(outcome)!] as const);
    return [counter('latchkey_outbox_tries_total', 'Attempts to deliver a message, by result', each)];
  }
}

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
