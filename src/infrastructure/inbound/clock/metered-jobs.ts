import type { Serving } from '#application/examination.js';
import type { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import type { SendNotices, TryOutcome } from '#application/notices/send-notices.js';
import type { Accounts } from '#application/account-ports.js';
import type { Backlog, UndeliveredNotices } from '#application/notice-ports.js';
import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { counter, gauge } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';
import type { Job } from './clock.js';

interface Register {
  renew(version: string, leaseMs: number): Promise<void>;
  serving(): Promise<readonly Serving[]>;
}

/** Keeps this process among those that serve, so that changes wait for the leases that it gives. */
export function renewInstance(instances: Register, own: Pick<Serving, 'version' | 'leaseMs'>): Job {
  let serving: readonly Serving[] = [];
  const help = 'Processes that served within the last 15 minutes, by version and LEASE_MS, when last read';
  const read = () =>
    serving.map(({ version, leaseMs, count }) => [{ version, lease_ms: String(leaseMs) }, count] as const);
  return {
    name: 'renew-instance',
    everyMs: 60_000,
    run: async () => {
      await instances.renew(own.version, own.leaseMs);
      serving = await instances.serving();
    },
    instruments: () => [gauge('latchkey_instances', help, read, 'max')],
  };
}

export function measureAccounts(accounts: Pick<Accounts, 'countWithoutManagers'>): Job {
  let count = 0;
  const help = 'Service accounts that no active person manages, when last counted';
  return {
    name: 'measure-accounts',
    everyMs: 60_000,
    run: async () => void (count = await accounts.countWithoutManagers()),
    instruments: () => [gauge('latchkey_service_accounts_without_managers', help, () => count, 'max')],
  };
}

const LOOK_AGAIN_MS = 50;

/** Seals new audit events. Runs in every instance. */
export function sealEvents(events: SealAuditEvents): Job {
  let upToDateAt = performance.now();
  const unsealed = 'Audit events that no seal covers yet, at most, when last counted';
  const lag = 'Time since all audit events were last found sealed';
  return {
    name: 'seal-audit-events',
    // New events are sealed within a second: this pause, and the time in which the writers at work commit.
    everyMs: 700,
    // The last run seals what was recorded until the end. A long backlog is left to the next start.
    runsAtEnd: true,
    run: async () => {
      const outcome = await events.execute();
      if (outcome === 'more-to-seal') return 0;
      // Under a steady load there are always newer events. They belong to the next run.
      if (outcome === 'up-to-date') upToDateAt = performance.now();
      return outcome === 'writers-at-work' ? LOOK_AGAIN_MS : undefined;
    },
    instruments: () => [
      gauge('latchkey_audit_unsealed_events', unsealed, () => events.unsealedEvents, 'max'),
      gauge('latchkey_audit_seal_lag_seconds', lag, () => (performance.now() - upToDateAt) / 1000, 'max'),
    ],
  };
}

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
