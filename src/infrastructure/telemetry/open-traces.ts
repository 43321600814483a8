import { NO_TRACES, type Traces } from './traces.js';

/** @param onProblem called when spans can't be sent */
export async function openTraces(isWanted: boolean, onProblem: (reason: string) => void): Promise<Traces> {
  if (!isWanted) return NO_TRACES;
  // Loaded where it is needed: it takes time and memory that nobody else should pay.
  const { OtelTraces } = await import('./otel-traces.js');
  return new OtelTraces(onProblem);
}
