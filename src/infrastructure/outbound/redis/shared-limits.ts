import type { RateDecision } from '../../../domain/rate-limit.js';
import type { Batcher } from '../batching/batcher.js';

/** What a key's limit is stored under. */
export function storedAs(keyId: string): string {
  return `latchkey:rate:${keyId}`;
}

/** Stands for 1 or 0 where a key was not charged. */
export const NOT_CHARGED = -1;

/**
 * Charges keys together. Answers two numbers for each: 1 or 0 for admitted or not, or NOT_CHARGED; and the microseconds
 * until the bucket is full again.
 */
export type SendCharges = (keys: readonly string[]) => Promise<readonly number[]>;

export type ChargeBatcher = Batcher<string, RateDecision>;

/** What Redis is asked for, however many servers it is. */
export interface Charging {
  readonly intervalMicros: number;
  readonly toleranceMicros: number;
  /** Collects key ids for one server. */
  batcher(send: SendCharges): ChargeBatcher;
}

export interface SharedLimits {
  /** Where a key is charged together with others; undefined where no server is there for it. */
  batcherOf(keyId: string): ChargeBatcher | undefined;
  /** Whether the limits of all keys are shared. */
  readonly isUp: boolean;
  close(): void;
}

/** What a promise answers, if it does in time. What comes later, an error too, is of no interest any more. */
export function within<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
