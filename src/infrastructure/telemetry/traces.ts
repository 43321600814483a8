import type { Outcome } from './request-times.js';

/** A span that is open until `end()`. Its name and attributes come from the code, never from a request. */
export interface OpenSpan {
  end(outcome: Outcome, name?: string): void;
  note(attribute: string, value: number): void;
}

/** The span from which an item was added to a batch. */
export type Origin = object | undefined;

/** Spans that show where the time is spent. While tracing is off, they cost the validation path nothing. */
export abstract class Traces {
  abstract readonly isOn: boolean;
  /**
   * Runs `work` in a new span, which belongs to the caller's trace if there is one.
   * @param traceparent as in W3C Trace Context; no other header of the request is read
   */
  abstract serve<T>(name: string, traceparent: string | undefined, work: (span: OpenSpan) => T): T;
  /** The span that the calling code runs in. */
  abstract origin(): Origin;
  /** A span for a statement that serves several calls. It belongs to the trace of the first and links to the others. */
  abstract batch(name: string, requesters: readonly { readonly origin: Origin }[]): OpenSpan;
  /** Sends the recorded spans, within a few seconds at most. */
  abstract close(): Promise<void>;
}

const UNSEEN: OpenSpan = { end: () => undefined, note: () => undefined };

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
    // There is nothing to send.
  }
}

export const NO_TRACES: Traces = new Off();
