import { emissionIntervalMicros, type RateDecision, type RateLimit } from '../../../domain/rate-limit.js';
import type { Batcher } from '../batching/batcher.js';

/** One request of a key. */
export interface Charge {
  readonly keyId: string;
  readonly limit: RateLimit;
  /** How many uses of a lease to charge with it. */
  readonly ahead: number;
}

/** The Redis key under which a key's limit is stored. */
export function storedAs(keyId: string): string {
  return `latchkey:rate:${keyId}`;
}

/** What `gcra` is called with for each key: the emission interval and the tolerance, in microseconds. */
export function scriptArguments({ limit }: Charge): [number, number] {
  const intervalMicros = emissionIntervalMicros(limit);
  return [intervalMicros, intervalMicros * limit.burst];
}

/** What `gcraAhead` is called with for each key. */
export function argumentsAhead(charge: Charge): [number, number, number] {
  return [...scriptArguments(charge), charge.ahead];
}

/** Stands for a key that was not charged. */
export const NOT_CHARGED = -1;

/**
 * Charges keys together. Returns two numbers for each: 0 if it is refused, or 1 more than the uses that were charged
 * ahead, or NOT_CHARGED; and the microseconds until the bucket is full again, without these uses.
 */
export type SendCharges = (charges: readonly Charge[]) => Promise<readonly number[]>;

export type ChargeBatcher = Batcher<Charge, RateDecision>;

/** Makes a batcher that collects charges for one server. */
export type MakeBatcher = (send: SendCharges) => ChargeBatcher;

export interface SharedLimits {
  /** The batcher of the server that has this key; undefined when no server is available for it. */
  batcherOf(keyId: string): ChargeBatcher | undefined;
  /** Whether the limits of all keys are shared. */
  readonly isUp: boolean;
  close(): void;
}
