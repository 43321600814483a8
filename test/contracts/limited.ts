import { randomUUID } from 'node:crypto';
import { afterEach, expect } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import type { RateLimiter } from '#application/validation-ports.js';
import { parseRedisUrl } from '#config/redis-config.js';
import type { RateDecision, RateLimit } from '#domain/rate-limit.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { RedisRateLimiter } from '#infrastructure/outbound/redis/redis-rate-limiter.js';
import { keptLog } from '../support/reading/kept-log.js';
import { STORE_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import type { Entry } from '../support/reading/printed-log.js';

/** The limits of one process, which count how often they were used. */
export class WatchedLocal implements RateLimiter {
  charges = 0;
  private readonly limiter = new MemoryRateLimiter();

  charge(keyId: string, limit: RateLimit, ahead = 0): RateDecision {
    this.charges += 1;
    return this.limiter.charge(keyId, limit, ahead);
  }

  close(): void {
    this.limiter.close();
  }
}

export interface Subject {
  /** @param limit the subject's own by default */
  charge(keyId: string, limit?: RateLimit, ahead?: number): Promise<RateDecision>;
  /** How many charges were decided by the limits of the process because Redis did not answer. */
  fallbacks(): number;
  /** The log entries about outages. */
  readonly outages: readonly Entry[];
}

const closers: (() => void)[] = [];

/** Closes at the end of the test. */
export function closeAfterTest(close: () => void): void {
  closers.push(close);
}
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

export async function inMemory(limit: RateLimit): Promise<Subject> {
  const limiter = new MemoryRateLimiter();
  closers.push(() => limiter.close());
  return {
    charge: async (keyId, own = limit, ahead) => limiter.charge(keyId, own, ahead),
    fallbacks: () => 0,
    outages: [],
  };
}

/** @param deadlineMs generous unless the test is about the deadline, because a busy machine is no outage */
export async function onRedis(
  limit: RateLimit,
  url = process.env['LATCHKEY_TEST_REDIS_URL']!,
  deadlineMs = STORE_TIMEOUT_MS,
): Promise<Subject> {
  const local = new WatchedLocal();
  const { log, entries } = keptLog();
  const limiter = new RedisRateLimiter(parseRedisUrl(url), local, log, NO_TRACES, deadlineMs);
  closers.push(
    () => limiter.close(),
    () => local.close(),
  );
  const subject = {
    charge: async (keyId: string, own = limit, ahead?: number) => limiter.charge(keyId, own, ahead),
    fallbacks: () => local.charges,
    outages: entries,
  };
  await shared(subject);
  return subject;
}

export const newKey = () => randomUUID();

/** Waits until Redis decides. */
export async function shared(subject: Subject): Promise<void> {
  const decides = async () => {
    const before = subject.fallbacks();
    await subject.charge(newKey());
    return subject.fallbacks() === before;
  };
  expect(await until(decides, 10_000)).toBe(true);
}

/** Plays a scene with a new key. Repeats it as long as a busy machine makes Redis miss its deadline. */
export async function undisturbed<T>(subjects: Subject[], scene: (keyId: string) => Promise<T>): Promise<T> {
  const fallbacks = () => subjects.reduce((sum, subject) => sum + subject.fallbacks(), 0);
  for (;;) {
    const before = fallbacks();
    const outcome = await scene(newKey());
    if (fallbacks() === before) return outcome;
  }
}

export const chargeTogether = (subject: Subject, keyId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => subject.charge(keyId)));
export const admittedOf = (decisions: RateDecision[]) => decisions.filter(({ admitted }) => admitted).length;
