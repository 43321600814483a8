import cluster from 'node:cluster';
import { ConfigError, readConfig, version, type Config } from '#config/config.js';
import { LatchkeyError } from '#domain/errors.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { WorkerFailure, Workers } from './workers/workers.js';

process.title = 'latchkey';

/** For the whole stop, even if something does not answer. Launchers and the parent of workers wait longer. */
const STOP_TIMEOUT_MS = 10_000;

/** The service in this process, or the worker processes. */
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
  if (!(running instanceof Workers)) setTimeout(giveUp, STOP_TIMEOUT_MS);
};
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stopFor(signal));
// If the launcher dies, the service must stop too.
process.on('disconnect', stopFor('the parent process has ended'));
// Otherwise Node would end a worker at once when its parent dies.
if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
// Node then prints the error to standard error and ends the process, as it should.
process.on('uncaughtExceptionMonitor', (error: unknown) =>
  log.fatal('stopping', error, { reason: 'internal error', pid: process.pid }),
);

try {
  const config = readConfig(process.env);
  log = new Log(config.logLevel);
  if (cluster.isPrimary) {
    log.info('starting', { version: version(), node: process.version, ...config.shown });
    for (const danger of config.warnings) log.warn(danger);
  }
  running = config.workers > 1 && cluster.isPrimary ? shareWork(config) : work(config);
  await running.ready;
  // The launcher may have died in the meantime: then `disconnect` has set `stopping`.
  if (!stopping) process.send?.({ ready: true }, () => undefined);
} catch (error) {
  fail(error);
}

function work(config: Config): Running {
  // Loaded only here, so that the parent of workers stays small.
  const ready = import('./start.js').then(({ startLatchkey }) => startLatchkey(config));
  // Waits for the start to finish, so that a half-started service is not left behind.
  return { ready, stop: async () => (await ready).stop() };
}

function shareWork({ workers, redis }: Config): Running {
  if (!redis) {
    const effect = `each of the ${workers} processes counts for itself, so a key may get up to ${workers} times its limit`;
    log.warn(`REDIS_URL is missing, which rate limits need with WORKERS: ${effect}`);
  }
  return new Workers(workers, log);
}

/** Prints one line for each problem that a person can solve. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [reasonOf(error as Error)];
  if (!(error instanceof WorkerFailure)) for (const line of lines) process.stderr.write(`latchkey: ${line}\n`);
  process.exit(1);
}

function giveUp(): never {
  log.warn('stopping took too long, so what was still under way is dropped', { pid: process.pid });
  process.exit(1);
}

/** Callers only see "not available". The person who starts the service needs the cause. */
function reasonOf(error: Error): string {
  const isOutage = error instanceof LatchkeyError && error.code === 'unavailable' && error.cause instanceof Error;
  return isOutage ? `DATABASE_URL: ${(error.cause as Error).message}` : error.message;
}
