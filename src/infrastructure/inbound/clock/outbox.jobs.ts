import type { SendNotices, TryOutcome } from '#application/notices/send-notices.js';
import type { Backlog, UndeliveredNotices } from '#application/ports.js';
import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { counter, gauge } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';
import type { Job } from './clock.js';

const RECEIVERS: Readonly<Record<NoticeChannel, string>> = {
  webhook: 'The webhook receiver (WEBHOOK_URL)',
  mail: 'The mail server (SMTP_URL)',
};
const COUNTED = ['delivered', 'failed', 'given_up'] as const satisfies readonly TryOutcome[];

/** Sends new messages of one channel. Runs in every instance. */
export function sendNotices(notices: SendNotices, log: Log): Job {
  const { channel } = notices;
  const attempts = new Map<TryOutcome, number>(COUNTED.map((outcome) => [outcome, 0]));
  const words = { effect: 'its messages wait', again: 'waiting messages are sent' };
  const outage = new Outage(log, { store: RECEIVERS[channel], ...words });
  const each = () => COUNTED.map((outcome) => [{ channel, outcome }, attempts.get(outcome)!] as const);
  return {
    name: `send-${channel}`,
    everyMs: 1000,
    run: async () => {
      const { outcomes, why, pauseMs } = await notices.execute();
      for (const outcome of outcomes) attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1);
      if (why !== undefined) outage.noticed(new Error(why));
      else if (outcomes.includes('delivered')) outage.over();
      return pauseMs;
    },
    stop: () => notices.stop(),
    instruments: () => [counter('latchkey_outbox_tries_total', 'Attempts to deliver a message, by result', each)],
  };
}

/** Counts the messages that are not delivered yet, for the metrics. @param channels the configured ones */
export function measureOutbox(outbox: UndeliveredNotices, channels: readonly NoticeChannel[]): Job {
  let backlog: Record<NoticeChannel, Backlog> | undefined;
  const each = (name: string, help: string, field: keyof Backlog) =>
    gauge(name, help, () => channels.map((channel) => [{ channel }, backlog?.[channel][field] ?? 0] as const), 'max');
  const waiting = 'Messages that wait for their next attempt, when last counted';
  const failed = 'Messages that were given up and are still stored, when last counted';
  const oldest = 'Age of the oldest message that waits, when last counted';
  return {
    name: 'measure-outbox',
    everyMs: 15_000,
    run: async () => void (backlog = await outbox.backlog()),
    instruments: () => [
      each('latchkey_outbox_waiting', waiting, 'waiting'),
      each('latchkey_outbox_failed', failed, 'failed'),
      each('latchkey_outbox_oldest_seconds', oldest, 'oldestSeconds'),
    ],
  };
}
