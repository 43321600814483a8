import cluster from 'node:cluster';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { shownSettings, version } from '../config/shown-settings.js';
import { LatchkeyError } from '../domain/errors.js';
import { Log } from '../infrastructure/telemetry/log.js';
import { outliveParentBriefly, WorkerHasToldWhy, Workers } from './workers/workers.js';

process.title = 'latchkey';

/** The service in this process, or the processes that share it. */
interface Running {
  readonly ready: Promise<unknown>;
  stop(): Promise<void>;
}

let stopping: Promise<void> | undefined;
let running: Running | undefined;
let log = new Log('info');
const stopFor = (reason: string) => () => {
  if (stopping) return;
  log.info('stopping', { reason, pid: process.pid });
  stopping = Promise.resolve(running?.stop()).then(() => process.exit(0), fail);
};
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stopFor(signal));
// A launcher that has died must not leave the service behind.
process.on('disconnect', stopFor('the process that started this one is gone'));
outliveParentBriefly();
// Node ends the process then, with the same on standard error, and so it should.
process.on('uncaughtExceptionMonitor', (error: unknown) =>
  log.fatal('stopping', error, { reason: 'a fault', pid: process.pid }),
);

try {
  const config = readConfig(process.env);
  log = new Log(config.logLevel);
  if (cluster.isPrimary) {
    log.info('starting', { version: version(), node: process.version, ...shownSettings(config) });
    for (const danger of config.warnings) log.warn(danger);
  }
  running = config.workers > 1 && cluster.isPrimary ? shareWork(config) : work(config);
  await running.ready;
  // The launcher may have died meanwhile: then `disconnect` has set `stopping`.
  if (!stopping) process.send?.({ ready: true }, () => undefined);
} catch (error) {
  fail(error);
}

function work(config: Config): Running {
  // Loaded where it is needed: a parent of workers stays small.
  const ready = import('./start.js').then(({ startLatchkey }) => startLatchkey(config));
  // Whatever has begun to start is waited for: half a start leaves half a mess.
  return { ready, stop: async () => (await ready).stop() };
}

function shareWork({ workers, redis }: Config): Running {
  if (!redis) {
    const effect = `each of the ${workers} processes counts for itself, so a key may get up to ${workers} times its limit`;
    log.warn(`REDIS_URL is missing, which rate limits need with WORKERS: ${effect}`);
  }
  return new Workers(workers, log);
}

/** Prints what a person can mend in plain lines, one for each problem. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [reasonOf(error as Error)];
  if (!(error instanceof WorkerHasToldWhy)) for (const line of lines) process.stderr.write(`latchkey: ${line}\n`);
  process.exit(1);
}

/** "Not available" is for callers; the person who starts the service can act on the cause. */
function reasonOf(error: Error): string {
  const isOutage = error instanceof LatchkeyError && error.code === 'unavailable' && error.cause instanceof Error;
  return isOutage ? `DATABASE_URL: ${(error.cause as Error).message}` : error.message;
}
