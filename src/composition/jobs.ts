import { type Config, version } from '#config/config.js';
import { HOUR_MS, MINUTE_MS } from '#domain/time.js';
import type { Job } from '#infrastructure/inbound/clock/clock.js';
import * as job from '#infrastructure/inbound/clock/jobs.js';
import type { Readiness } from '#infrastructure/inbound/shared/readiness.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { Adapters } from './adapters.js';
import type { UseCases } from './use-cases.js';

const SECOND_MS = 1000;

/** Everything that runs by the clock. All jobs in this list are run, measured and ended. */
export function buildJobs(
  config: Config,
  useCases: UseCases,
  adapters: Adapters,
  readiness: Readiness,
  log: Log,
): Job[] {
  const { dueEnds, notifyOfDueKeys, pruneAuditEvents, sealAuditEvents, endReportedKeys, reportLeakedKeys } = useCases;
  const sweep = async () => {
    const recorded = await dueEnds.ofAll();
    if (recorded > 0) log.info('expiries recorded', { recorded });
  };
  const prune = async () => {
    const pruned = await pruneAuditEvents.execute();
    if (pruned > 0) log.info('audit events pruned', { pruned });
  };
  const jobs: Job[] = [
    { name: 'check-readiness', everyMs: SECOND_MS, run: async () => void (await readiness.check()) },
    { name: 'look-at-synchronous-commits', everyMs: 5 * SECOND_MS, run: () => adapters.synchronousCommits.look() },
    { name: 'sweep-due-ends', everyMs: MINUTE_MS, run: sweep },
    { name: 'tell-due-notices', everyMs: HOUR_MS, run: async () => void (await notifyOfDueKeys.execute()) },
    ...(config.keyPolicy.revokeIdleAfterDays === undefined ? [] : idleJobs(useCases, log)),
    job.endReported(endReportedKeys, reportLeakedKeys, log),
    { name: 'housekeeping', everyMs: MINUTE_MS, run: () => adapters.housekeeping.run() },
    { name: 'refresh-decoys', everyMs: 10 * MINUTE_MS, run: () => adapters.passwords.refreshDecoys() },
    { name: 'prune-audit-events', everyMs: MINUTE_MS, run: prune },
    job.measureAccounts(adapters.accounts),
    job.renewInstance(adapters.instances, { version: version(), leaseMs: config.leaseMs }),
    ...outboxJobs(useCases, adapters, log),
    { name: 'prune-key-usage', everyMs: MINUTE_MS, run: () => adapters.housekeeping.pruneUsage() },
  ];
  if (config.audit.sealKeys.length > 0) return [...jobs, job.sealEvents(sealAuditEvents)];
  if (!config.demo) log.info('audit events are not sealed: AUDIT_SEAL_KEY is not set');
  return jobs;
}

function idleJobs({ revokeIdleKeys }: UseCases, log: Log): Job[] {
  const find = async () => {
    const { notified } = await revokeIdleKeys.find();
    if (notified > 0) log.info('owners notified of idle keys', { notified });
  };
  const check = async () => {
    const { ended } = await revokeIdleKeys.check();
    if (ended > 0) log.info('idle keys ended', { ended });
  };
  return [
    { name: 'find-idle-keys', everyMs: HOUR_MS, run: find },
    { name: 'check-idle-keys', everyMs: MINUTE_MS, run: check },
  ];
}

/** One sender for each channel that has a receiver, so that a slow receiver does not delay the other channel. */
function outboxJobs({ sendWebhooks, sendMail }: UseCases, { outbox }: Adapters, log: Log): Job[] {
  const channels = [sendWebhooks, sendMail].filter((channel) => channel !== undefined);
  if (channels.length === 0) return [];
  const names = channels.map(({ channel }) => channel);
  return [...channels.map((channel) => job.sendNotices(channel, log)), job.measureOutbox(outbox, names)];
}
