import type { SendNotices, TryOutcome } from '../../../application/notices/send-notices.js';
import type { NoticeChannel } from '../../../domain/notices/key-notice.js';
import { counter, type Instrument } from '../../telemetry/instrument.js';
import type { Log } from '../../telemetry/log.js';
import { Outage } from '../../telemetry/outage.js';
import type { Job } from './job.js';

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
