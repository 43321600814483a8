import type { RateDecision } from '../../../domain/rate-limit.js';
import type { Batcher } from '../batching/batcher.js';

/** The Redis key under which a key's limit is stored. */
export function storedAs(keyId: string): string {
  return `latchkey:rate:${keyId}`;
}

/** Stands for a key that was not charged. */
export const NOT_CHARGED = -1;

/**
 * Charges keys together. Returns two numbers for each: 1 if admitted, 0 if not, or NOT_CHARGED; and the microseconds
 * until the bucket is full again.
 */
export type SendCharges = (keys: readonly string[]) => Promise<readonly number[]>;

export type ChargeBatcher = Batcher<string, RateDecision>;

/** What one Redis server or a whole cluster needs for charging. */
export interface Charging {
  readonly intervalMicros: number;
  readonly toleranceMicros: number;
  /** Collects key ids for one server. */
  batcher(send: SendCharges): ChargeBatcher;
}

export interface SharedLimits {
  /** The batcher of the server that has this key; undefined when no server is available for it. */
  batcherOf(keyId: string): ChargeBatcher | undefined;
  /** Whether the limits of all keys are shared. */
  readonly isUp: boolean;
  close(): void;
}
