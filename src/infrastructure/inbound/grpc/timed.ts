import type { Outcome, Times } from '../../telemetry/request-times.js';
import type { OpenSpan } from '../../telemetry/traces.js';
import { outcomeOf } from './grpc-error.js';

/** Does the work, and tells how long it took and what it came to. */
export async function timed<T>(times: Times, span: OpenSpan | undefined, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let outcome: Outcome = 'ok';
  try {
    return await work();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    times[outcome].observeSince(begun);
    span?.end(outcome);
  }
}
