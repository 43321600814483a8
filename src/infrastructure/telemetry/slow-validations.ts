import { type MeasuredRequest, VALIDATION_PARTS, type ValidationPart } from '#application/ports.js';
import type { Verdict } from '#domain/keys/verdict.js';
import { causeOf, type Log } from './log.js';

const LINES_A_SECOND = 10;

interface EndedValidation extends Readonly<Record<ValidationPart, number>> {
  readonly request: MeasuredRequest;
  /** Undefined when the validation failed. */
  readonly verdict: Verdict | undefined;
  readonly error: unknown;
  /** How many uses of a lease were charged with it. */
  readonly leaseUses: number;
}

/** Logs a line for a slow validation, with the time of each part. When many are slow at once, only some are logged. */
export class SlowValidations {
  private secondBegunAt = Number.NEGATIVE_INFINITY;
  private lines = 0;
  /** How many were not logged since the last line. */
  private dropped = 0;

  /** @param thresholdMs SLOW_VALIDATION_MS; with 0, no validation counts as slow */
  constructor(
    private readonly log: Log,
    private readonly thresholdMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  isSlow(totalMs: number): boolean {
    return totalMs > this.thresholdMs && this.thresholdMs > 0;
  }

  note(validation: EndedValidation, totalMs: number): void {
    if (!this.hasRoom()) {
      this.dropped += 1;
      return;
    }
    const parts = VALIDATION_PARTS.map((part) => [`${part}Ms`, rounded(validation[part])] as const);
    const restMs = VALIDATION_PARTS.reduce((rest, part) => rest - validation[part], totalMs);
    const { client, service } = validation.request;
    const { dropped } = this;
    this.dropped = 0;
    this.log.warn('slow validation', {
      requestId: client.requestId,
      service: service ?? null,
      ...outcomeOf(validation),
      ...(validation.leaseUses > 0 && { leaseUses: validation.leaseUses }),
      totalMs: rounded(totalMs),
      ...Object.fromEntries(parts),
      restMs: rounded(restMs),
      ...(dropped > 0 && { dropped }),
    });
  }

  private hasRoom(): boolean {
    const now = this.nowMs();
    if (now - this.secondBegunAt >= 1000) {
      this.secondBegunAt = now;
      this.lines = 0;
    }
    this.lines += 1;
    return this.lines <= LINES_A_SECOND;
  }
}

function outcomeOf({ verdict, error }: EndedValidation): object {
  if (!verdict) return { outcome: 'failed', failure: causeOf(error) || String(error) };
  return verdict.granted ? { outcome: 'granted' } : { outcome: 'denied', reason: verdict.reason };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
