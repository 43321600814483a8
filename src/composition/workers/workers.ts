import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#infrastructure/telemetry/log.js';
import { WorkersMetrics } from './workers-metrics.js';

/** A worker that ran this long is replaced at once, any other after a pause. */
const STEADY_AFTER_MS = 10_000;
const PAUSE_MS = 1000;
/** Longer than a worker takes to stop in order, shorter than launchers wait before they kill. */
const STOP_TIMEOUT_MS = 12_000;

/** A worker that could not start has already printed the reason. */
export class WorkerFailure extends Error {}

interface End {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The processes that share our ports. This process only starts them and replaces those that die. */
export class Workers {
  /** Resolves when all workers listen, or when stop() was called before that. */
  readonly ready: Promise<void>;
  private readonly running = new Map<Worker, Promise<End>>();
  private readonly stopping = new AbortController();
  private readonly metrics = new WorkersMetrics();

  constructor(
    count: number,
    private readonly log: Log,
  ) {
    this.ready = this.start(count);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const { process: worker } of this.running.keys()) worker.kill('SIGTERM');
    const killTimer = setTimeout(() => this.killTheRest(), STOP_TIMEOUT_MS);
    await Promise.all(this.running.values());
    clearTimeout(killTimer);
  }

  private async start(count: number): Promise<void> {
    try {
      // The first worker starts alone: it migrates the database, and a problem of all workers is printed only once.
      await this.startOne();
      if (this.stopping.signal.aborted) return;
      await Promise.all(Array.from({ length: count - 1 }, () => this.startOne()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves once the worker is ready. From then on it is replaced whenever it ends. */
  private async startOne(): Promise<void> {
    const worker = this.fork();
    const ready = readyOf(worker);
    const end = await Promise.race([ready, this.running.get(worker)!]);
    if (!end) void this.replaceWheneverItEnds(worker);
    else if (!this.stopping.signal.aborted) throw whyNotReady(end);
  }

  private async replaceWheneverItEnds(first: Worker): Promise<void> {
    let [worker, forkedAt] = [first, performance.now()];
    for (;;) {
      const end = await this.running.get(worker)!;
      if (this.stopping.signal.aborted) return;
      const pauseMs = performance.now() - forkedAt >= STEADY_AFTER_MS ? 0 : PAUSE_MS;
      this.log.error('a worker ended and is replaced', { pid: worker.process.pid, ...end, pauseMs });
      await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      [worker, forkedAt] = [this.fork(), performance.now()];
    }
  }

  private fork(): Worker {
    const worker = cluster.fork();
    const ended = new Promise<End>((resolve) => {
      worker.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
      // A worker that could not be created never exits. After any other error it exits, or the error is harmless.
      worker.on('error', (error) => worker.process.pid ?? resolve({ exitCode: null, signal: error.message }));
    });
    this.running.set(worker, ended);
    this.metrics.follow(worker);
    void ended.then(() => this.running.delete(worker));
    return worker;
  }

  private killTheRest(): void {
    for (const { process: worker } of this.running.keys()) {
      this.log.warn('a worker took too long to stop and is killed', { pid: worker.pid });
      worker.kill('SIGKILL');
    }
  }
}

/** Ignores other messages of the worker. */
function readyOf(worker: Worker): Promise<undefined> {
  return new Promise((resolve) => {
    worker.on('message', (message: object) => 'ready' in message && resolve(undefined));
  });
}

function whyNotReady({ exitCode, signal }: End): Error {
  if (exitCode === 1) return new WorkerFailure();
  return new Error(`a worker ended before it was ready (${signal ?? `exit code ${exitCode}`})`);
}
