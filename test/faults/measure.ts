import type { ServiceError } from '@grpc/grpc-js';
import type { ValidateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';

/** `grant`, `denial`, or the code of the gRPC status that the call ended with. */
export type Outcome = 'grant' | 'denial' | number;

export async function outcomeOf(call: Promise<ValidateKeyResponse__Output>): Promise<Outcome> {
  try {
    const { grant } = await call;
    return grant ? 'grant' : 'denial';
  } catch (error) {
    return (error as ServiceError).code;
  }
}

/** Makes one call after the other. Returns every outcome, and the median time. */
export async function inTurn<T>(times: number, call: () => Promise<T>): Promise<{ outcomes: T[]; medianMs: number }> {
  const outcomes: T[] = [];
  const durations: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedAt = performance.now();
    outcomes.push(await call());
    durations.push(performance.now() - startedAt);
  }
  return { outcomes, medianMs: durations.sort((a, b) => a - b)[Math.floor(times / 2)]! };
}
