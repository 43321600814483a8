import { type Config, version } from '#config/config.js';
import { HOUR_MS, MINUTE_MS } from '#domain/time.js';
import type { Job } from '#infrastructure/inbound/clock/clock.js';
import * as job from '#infrastructure/inbound/clock/metered-jobs.js';
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
  const { revokeIdleKeys } = useCases;
  /** @param name of what `work` counts, in the line that is logged if it is more than 0 */
  const logged = (message: string, name: string, work: () => Promise<number>) => async () => {
    const count = await work();
    if (count > 0) log.info(message, { [name]: count });
  };
  const sweep = logged('expiries recorded', 'recorded', () => dueEnds.ofAll());
  const prune = logged('audit events pruned', 'pruned', () => pruneAuditEvents.execute());
  const endReported = logged('leaked keys ended', 'ended', () => endReportedKeys.execute());
  const findIdle = async () => (await revokeIdleKeys.find()).notified;
  const checkIdle = async () => (await revokeIdleKeys.check()).ended;
  const idleJobs: Job[] = [
    { name: 'find-idle-keys', everyMs: HOUR_MS, run: logged('owners notified of idle keys', 'notified', findIdle) },
    { name: 'check-idle-keys', everyMs: MINUTE_MS, run: logged('idle keys ended', 'ended', checkIdle) },
  ];
  const jobs: Job[] = [
    { name: 'check-readiness', everyMs: SECOND_MS, run: async () => void (await readiness.check()) },
    { name: 'look-at-synchronous-commits', everyMs: 5 * SECOND_MS, run: () => adapters.synchronousCommits.look() },
    { name: 'sweep-due-ends', everyMs: MINUTE_MS, run: sweep },
    { name: 'tell-due-notices', everyMs: HOUR_MS, run: async () => void (await notifyOfDueKeys.execute()) },
    ...(config.keyPolicy.revokeIdleAfterDays === undefined ? [] : idleJobs),
    {
      name: 'end-reported-keys',
      // Also picks up reports of an instance that has stopped.
      everyMs: 500,
      hurriedBy: (hurry) => reportLeakedKeys.whenReported(hurry),
      stop: () => endReportedKeys.stop(),
      run: endReported,
    },
    { name: 'housekeeping', everyMs: MINUTE_MS, run: () => adapters.housekeeping.run() },
    { name: 'refresh-decoys', everyMs: 10 * MINUTE_MS, run: () => adapters.passwords.refreshDecoys() },
    { name: 'prune-audit-events', everyMs: MINUTE_MS, run: prune },
    job.measureAccounts(adapters.accounts),
    job.renewInstance(adapters.instances, { version: version(), leaseMs: config.leaseMs }),
    ...outboxJobs(useCases, adapters, log),
  ];
  if (config.audit.sealKeys.length > 0) return [...jobs, job.sealEvents(sealAuditEvents)];
  if (!config.demo) log.info('audit events are not sealed: AUDIT_SEAL_KEY is not set');
  return jobs;
}

/** One sender for each channel that has a receiver, so that a slow receiver does not delay the other channel. */
function outboxJobs({ sendWebhooks, sendMail }: UseCases, { outbox }: Adapters, log: Log): Job[] {
  const channels = [sendWebhooks, sendMail].filter((channel) => channel !== undefined);
  if (channels.length === 0) return [];
  const names = channels.map(({ channel }) => channel);
  return [...channels.map((channel) => job.sendNotices(channel, log)), job.measureOutbox(outbox, names)];
}
