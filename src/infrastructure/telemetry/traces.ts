import type { Outcome } from './request-times.js';

/** A span that is open until `end()`. Its name and attributes come from the code, never from a request. */
export interface OpenSpan {
  end(outcome: Outcome, name?: string): void;
}

/** The span from which an item was added to a batch. */
export type Origin = object | undefined;

/** Spans that show where the time is spent. While tracing is off, they cost the validation path nothing. */
export interface Traces {
  readonly isOn: boolean;
  /**
   * Runs `work` in a new span, which belongs to the caller's trace if there is one.
   * @param traceparent as in W3C Trace Context; no other header of the request is read
   */
  serve<T>(name: string, traceparent: string | undefined, work: (span: OpenSpan) => T): T;
  /** The span that the calling code runs in. */
  origin(): Origin;
  /** A span for a statement that serves several calls. It belongs to the trace of the first and links to the others. */
  batch(name: string, requesters: readonly { readonly origin: Origin }[]): OpenSpan;
  /** Sends the recorded spans, within a few seconds at most. */
  close?(): Promise<void>;
}

const UNSEEN: OpenSpan = { end: () => undefined };

export const NO_TRACES: Traces = {
  isOn: false,
  serve: (_name, _traceparent, work) => work(UNSEEN),
  origin: () => undefined,
  batch: () => UNSEEN,
};
