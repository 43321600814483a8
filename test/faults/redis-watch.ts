import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../scripts/lib/wait.mjs';
import { admittedOf, chargeTogether, onRedis, undisturbed, type Subject } from '../contracts/limited.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService, type Service } from '../support/processes/service.js';

const DEADLINE_MS = 20;
/** Refills so slowly that nothing comes back while sums are checked. */
const SLOW = { perSecond: 1, burst: 10 };
/** So high that no validation is refused because of the limit. */
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** Simultaneous calls at each instance. */
const CALLERS = 4;
/** Keys in all parts of a cluster. */
const KEYS = 60;
/**
 * On a busy machine, the process decides alone for a moment. Limits count as shared when they stay shared for this
 * long.
 */
const CALM_MS = 300;

interface Figures {
  readonly answered: number;
  readonly changed: number;
  readonly local: number;
  readonly charges: number;
  readonly longestMs: number;
  /** Log lines about Redis. */
  readonly lines: number;
}

/** Two instances and two rate limiters on one Redis, which all work while something happens to it. */
export class RedisWatch {
  private constructor(
    private readonly services: readonly Service[],
    private readonly limiters: readonly Subject[],
    private readonly questions: readonly (() => [request: object, expected: string])[],
  ) {}

  static async start(redisUrl: string): Promise<RedisWatch> {
    const env = { ...UNLIMITED, REDIS_URL: redisUrl };
    const one = await startService(env);
    const two = await startService({ ...env, DATABASE_URL: one.databaseUrl });
    const keys: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { person } = await newOwner(one);
      keys.push((await person.newKey({ access: 'read-only' })).fullKey);
    }
    const questions = keys.flatMap((apiKey): (() => [object, string])[] => [
      () => [{ apiKey }, 'grant'],
      () => [{ apiKey, operation: 'OPERATION_WRITE' }, 'REASON_READ_ONLY_KEY'],
      () => [{ apiKey, permission: 'reports:read' }, 'REASON_MISSING_PERMISSION'],
      () => [{ apiKey: withWrongSecret(apiKey) }, 'REASON_INVALID_KEY'],
      () => [{ apiKey: unknownKey() }, 'REASON_INVALID_KEY'],
    ]);
    const limiters = [await onRedis(SLOW, redisUrl, DEADLINE_MS), await onRedis(SLOW, redisUrl, DEADLINE_MS)];
    return new RedisWatch([one, two], limiters, questions);
  }

  async stop(): Promise<void> {
    for (const service of this.services.toReversed()) await service.stop();
  }

  /**
   * Validates and charges while a fault happens, until limits are shared again. Checks the sums over both instances
   * before and after, and prints the figures.
   * @param fault resolves when Redis accepts charges of all keys again
   */
  async during(name: string, fault: () => Promise<void>): Promise<Figures> {
    await this.expectRightSums();
    const figures = { answered: 0, changed: 0, charges: 0, longestMs: 0 };
    const localBefore = this.local();
    const over = new AbortController();
    let lastLocalAt = 0;
    const validate = async (service: Service) => {
      while (!over.signal.aborted) {
        const [{ apiKey, ...request }, expected] = this.pick() as [{ apiKey: string }, string];
        const answer = await service.clients.validate(apiKey, request).catch(() => undefined);
        figures.answered += 1;
        if ((answer?.grant ? 'grant' : answer?.denial?.reason) !== expected) figures.changed += 1;
      }
    };
    const keyIds = Array.from({ length: KEYS }, () => randomUUID());
    const charge = async (limiter: Subject) => {
      while (!over.signal.aborted) {
        const before = limiter.fallbacks();
        await Promise.all(
          keyIds.map(async (keyId) => {
            const startedAt = performance.now();
            await limiter.charge(keyId);
            figures.charges += 1;
            figures.longestMs = Math.max(figures.longestMs, performance.now() - startedAt);
          }),
        );
        if (limiter.fallbacks() > before) lastLocalAt = performance.now();
        await sleep(5);
      }
    };
    const pauses = monitorEventLoopDelay({ resolution: 1 });
    pauses.enable();
    const callers = this.services.flatMap((service) => Array.from({ length: CALLERS }, () => validate(service)));
    const work = [...callers, ...this.limiters.map(charge)];
    const begunAt = performance.now();
    await fault();
    const overAt = performance.now();
    expect(await until(() => performance.now() - Math.max(lastLocalAt, overAt) > CALM_MS, 60_000)).toBe(true);
    over.abort();
    pauses.disable();
    await Promise.all(work);
    const local = this.local() - localBefore;
    const lines = this.limiters.map(({ outages }) => outages.length);
    printFigures(name, {
      'validations answered': figures.answered,
      'verdicts changed': figures.changed,
      charges: figures.charges,
      'decided by the process': local,
      'Redis away for s': ((overAt - begunAt) / 1000).toFixed(1),
      'shared s after that': (Math.max(0, lastLocalAt - overAt) / 1000).toFixed(2),
      'longest charge ms': figures.longestMs.toFixed(0),
      'longest pause of this process ms': (pauses.max / 1e6).toFixed(0),
      'lines of log': lines.join(' and '),
    });
    expect(figures.changed).toBe(0);
    expect(figures.answered).toBeGreaterThan(0);
    await this.expectRightSums();
    return { ...figures, local, lines: Math.max(...lines) };
  }

  private pick() {
    return this.questions[Math.floor(Math.random() * this.questions.length)]!();
  }

  private local(): number {
    return this.limiters.reduce((sum, limiter) => sum + limiter.fallbacks(), 0);
  }

  /** Expects both instances together to admit exactly the burst, for keys in all parts of a cluster. */
  private async expectRightSums(): Promise<void> {
    for (let n = 0; n < 12; n += 1) {
      const admitted = await undisturbed([...this.limiters], async (keyId) => {
        const decisions = await Promise.all(this.limiters.map((limiter) => chargeTogether(limiter, keyId, 15)));
        return admittedOf(decisions.flat());
      });
      expect(admitted).toBe(SLOW.burst);
    }
  }
}
