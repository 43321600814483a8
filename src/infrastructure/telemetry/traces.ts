import type { Outcome } from './request-times.js';

/** Something under way, until it ends. Its name and facts come from the code, never from a request. */
export interface OpenSpan {
  end(outcome: Outcome, name?: string): void;
}

/** Where a batch was asked for. */
export type Origin = object | undefined;

/** Spans that show where the time goes. While traces are off they cost the validation path nothing. */
export abstract class Traces {
  abstract readonly isOn: boolean;
  /**
   * Runs `work` below a span of its own, in the caller's trace if it names one.
   * @param traceparent as W3C Trace Context has it; of a request's headers nothing else is read
   */
  abstract serve<T>(name: string, traceparent: string | undefined, work: (span: OpenSpan) => T): T;
  /** The span that the caller runs in. */
  abstract origin(): Origin;
  /** A statement on behalf of all that asked: in the trace of the first, with links to the others. */
  abstract batch(name: string, askers: readonly { readonly origin: Origin }[]): OpenSpan;
  /** Sends what has been recorded, as far as that is possible within seconds. */
  abstract close(): Promise<void>;
}

const UNSEEN: OpenSpan = { end: () => undefined };

class Off extends Traces {
  readonly isOn = false;

  serve<T>(_name: string, _traceparent: string | undefined, work: (span: OpenSpan) => T): T {
    return work(UNSEEN);
  }

  origin(): Origin {
    return undefined;
  }

  batch(): OpenSpan {
    return UNSEEN;
  }

  async close(): Promise<void> {
    // Nothing was recorded.
  }
}

export const NO_TRACES: Traces = new Off();

/** @param onProblem called when spans can't be sent */
export async function openTraces(isWanted: boolean, onProblem: (reason: string) => void): Promise<Traces> {
  if (!isWanted) return NO_TRACES;
  // Loaded where it is needed: it takes time and memory that nobody else should pay.
  const { OtelTraces } = await import('./otel-traces.js');
  return new OtelTraces(onProblem);
}
